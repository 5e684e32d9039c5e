import { afterEach, describe, expect, test } from 'vitest';
import { instantSpeech } from '../harness/engines.ts';
import { closeConversations, openConversation as open } from '../harness/open-conversations.ts';
import { harbor } from '../mind/harbor.ts';

/** Also checks that ended sessions leave no timer. */
afterEach(closeConversations);

const long =
  'The harbor wakes early, long before the town does. Boats come in with the first light. Gulls follow them.';
const talkative = {
  greeting: { en: 'Hi.' },
  topics: [{ id: 'day', ask: { en: 'day' }, words: { en: ['day'] }, tell: { en: long } }],
};

test('a session starts with ready, thinking and the greeting', async () => {
  const { connection, play } = open({ mind: harbor });
  await play(3000);
  expect(connection.story).toEqual([
    'ready',
    'thinking',
    'message',
    'speaking',
    'utterance',
    'cues',
    'metrics',
    'utterance.end',
    'message',
    'listening',
    'suggestions',
  ]);
  expect(connection.events.map(({ seq }) => seq)).toEqual(connection.events.map((_, index) => index + 1));
  expect(connection.of('message').map(({ status, text }) => [status, text])).toEqual([
    ['partial', 'Good morning!'],
    ['final', 'Good morning!'],
  ]);
});

test('a text is echoed as exactly one final user message, and is answered', async () => {
  const { connection, play, receive } = open({ mind: harbor });
  await play(3000);
  await receive({ type: 'text', id: 'a', text: 'When do the ferries leave?' });
  await receive({ type: 'text', id: 'a', text: 'When do the ferries leave?' });
  await play(3000);
  const messages = connection.of('message');
  expect(messages.filter(({ role }) => role === 'user')).toEqual([
    {
      type: 'message',
      id: 'a',
      role: 'user',
      status: 'final',
      text: 'When do the ferries leave?',
      seq: expect.any(Number),
    },
  ]);
  expect(messages.at(-1)).toMatchObject({ role: 'character', status: 'final', text: 'At every full hour.' });
});

test('the first piece is one clause, and partial texts are cumulative', async () => {
  const { connection, play, receive } = open({ mind: talkative });
  await play(2000);
  await receive({ type: 'text', id: 'a', text: 'day' });
  await play(15_000);
  const answers = connection.of('message').filter(({ role, text }) => role === 'character' && text !== 'Hi.');
  const partial = answers.filter(({ status }) => status === 'partial').map(({ text }) => text);
  expect(partial[0]).toBe('The harbor wakes early, long before the town does.');
  for (const [index, text] of partial.entries()) expect(text.startsWith(partial[index - 1] ?? '')).toBe(true);
  expect(answers.at(-1)).toMatchObject({ status: 'final', text: long });
});

test('cues precede the audio they time, and frames are complete, in order and marked at the end', async () => {
  const { connection, play } = open({ mind: { greeting: { en: 'Good morning, my friend.' } } });
  await play(5000);
  const [utterance] = connection.of('utterance');
  const [end] = connection.of('utterance.end');
  expect(connection.audio.every((frame) => frame.utterance === utterance!.utterance)).toBe(true);
  expect(connection.audio.slice(0, -1).every(({ samples }) => samples === 640)).toBe(true);
  expect(connection.audio.map(({ offset }) => offset)).toEqual(
    connection.audio.map((_, index) => index * 640),
  );
  expect(connection.audio.filter(({ isLast }) => isLast)).toEqual([connection.audio.at(-1)]);
  expect(end!.durationMs).toBe(connection.audio.reduce((sum, { samples }) => sum + samples / 16, 0));
});

test('at most 1.5 s of audio are sent ahead of playback', async () => {
  const { connection, clock, receive, play } = open({ mind: talkative });
  await play(2000);
  const before = connection.audio.length;
  await receive({ type: 'text', id: 'a', text: 'day' });
  await clock.pass(60_000);
  const ahead = () => connection.audio.slice(before).reduce((sum, { samples }) => sum + samples / 16, 0);
  expect(ahead()).toBeLessThanOrEqual(1500);
  expect(ahead()).toBeGreaterThan(1400);
  const { utterance } = connection.of('utterance').at(-1)!;
  await receive({ type: 'played', utterance, ms: 400 });
  expect(ahead()).toBeLessThanOrEqual(1900);
  expect(ahead()).toBeGreaterThan(1800);
});

describe('an interruption', () => {
  test('is announced at once; no more of the utterance is sent, and the message contains the part that was played', async () => {
    const { connection, receive, play } = open({ mind: talkative });
    await play(2000);
    await receive({ type: 'text', id: 'a', text: 'day' });
    await play(2000);
    const frames = connection.audio.length;
    // The next utterance has already been sent; the client is still playing the previous one.
    const { utterance } = connection.of('utterance').at(-2)!;
    await receive({ type: 'interrupt' });
    expect(connection.of('interrupted')).toEqual([
      { type: 'interrupted', utterance, atMs: expect.any(Number), seq: expect.any(Number) },
    ]);
    await play(5000);
    expect(connection.audio.length).toBe(frames);
    const last = connection.of('message').at(-1)!;
    expect(last).toMatchObject({ status: 'final', interrupted: true });
    expect(long.startsWith(last.heard!)).toBe(true);
    expect(last.heard!.length).toBeGreaterThan(5);
    expect(last.heard!.length).toBeLessThan(long.length);
    expect(connection.story.at(-1)).toBe('listening');
  });

  test('by a new text cuts the old message and answers the new text', async () => {
    const { connection, receive, play } = open({
      mind: { ...talkative, topics: [...talkative.topics, ...harbor.topics!] },
    });
    await play(2000);
    await receive({ type: 'text', id: 'a', text: 'day' });
    await play(1000);
    await receive({ type: 'text', id: 'b', text: 'ferry' });
    await play(5000);
    const finals = connection
      .of('message')
      .filter(({ status }) => status === 'final')
      .slice(1);
    expect(finals.map(({ role, text, interrupted }) => [role, interrupted ?? false, text])).toEqual([
      ['user', false, 'day'],
      ['character', true, 'The harbor wakes early, long before the town does.'],
      ['user', false, 'ferry'],
      ['character', false, 'At every full hour.'],
    ]);
  });

  test('has no effect while no character speaks', async () => {
    const { connection, receive, play } = open({ mind: harbor });
    await play(3000);
    const { length } = connection.events;
    await receive({ type: 'interrupt' });
    expect(connection.events.length).toBe(length);
  });

  test('before any playback reports an empty heard text', async () => {
    const { connection, receive } = open({ mind: talkative });
    await receive({ type: 'ping', t: 1 });
    await receive({ type: 'interrupt' });
    expect(connection.of('message').at(-1)).toMatchObject({ text: 'Hi.', interrupted: true, heard: '' });
  });
});

test('a dual session labels each part with its language, and uses one voice per language', async () => {
  const speech = instantSpeech();
  const { connection, play } = open(
    {
      secondaryLocale: 'pt-PT',
      mind: {
        greeting: { en: 'Welcome.' },
        lessons: [{ id: 'm', say: { 'pt-PT': 'Bom dia' }, gloss: { en: 'Good morning' } }],
      },
    },
    { speech, hello: { speech: { synthesis: ['pt-BR'], recognition: [] } } },
  );
  await play(12_000);
  const pieces = connection.of('utterance').map(({ locale, speech, text }) => [locale, speech, text]);
  expect(pieces).toEqual([
    ['en', 'server', 'Welcome.'],
    ['en', 'server', 'Here is how to say “Good morning”:'],
    ['pt-PT', 'client', 'Bom dia'],
    ['en', 'server', 'Now you.'],
  ]);
  expect(connection.of('message').at(-1)!.spans).toEqual([
    { locale: 'en', text: 'Welcome. Here is how to say “Good morning”:' },
    { locale: 'pt-PT', text: 'Bom dia' },
    { locale: 'en', text: 'Now you.' },
  ]);
  expect(connection.of('ready')[0]!.characters).toEqual([
    { characterId: 'maren', locale: 'en', secondaryLocale: 'pt-PT' },
  ]);
});

test('a dual session reports the voice of each language', () => {
  const { connection } = open({ secondaryLocale: 'pt-PT', mind: { greeting: { en: 'Hello.' } } });
  const { speech, secondarySpeech } = connection.of('ready')[0]!.engines;
  expect(speech.kind).toBe('server');
  expect(secondarySpeech).toEqual({ kind: 'captions', name: 'captions' });
  const single = open({ mind: { greeting: { en: 'Hello.' } } });
  expect(single.connection.of('ready')[0]!.engines).not.toHaveProperty('secondarySpeech');
});

test('a language without a voice is shown as captions, for as long as speech would take', async () => {
  const { connection, clock } = open({
    locale: 'ja',
    mind: { greeting: { ja: 'ようこそいらっしゃいました。' } },
  });
  await clock.pass(100);
  const [utterance] = connection.of('utterance');
  expect(utterance).toMatchObject({ speech: 'captions', locale: 'ja' });
  expect(connection.of('ready')[0]!.engines.speech).toEqual({ kind: 'captions', name: 'captions' });
  expect(connection.of('cues')[0]!.source).toBe('text');
  expect(connection.of('cues')[0]!.cues.length).toBeGreaterThan(5);
  expect(connection.of('utterance.end')).toEqual([]);
  await clock.pass(10_000);
  const [end] = connection.of('utterance.end');
  expect(end!.durationMs).toBeGreaterThan(1000);
  expect(connection.audio).toEqual([]);
  expect(connection.story).toContain('listening');
});

test('the runtime waits for a page that synthesises speech itself, up to a time limit', async () => {
  const { connection, clock, receive } = open(
    { locale: 'es', mind: { greeting: { es: 'Buenos días. Pase usted.' } } },
    { hello: { speech: { synthesis: ['es_MX'], recognition: [] } } },
  );
  await clock.pass(100);
  expect(connection.of('ready')[0]!.engines.speech.kind).toBe('client');
  const [first] = connection.of('utterance');
  await receive({ type: 'played', utterance: first!.utterance, ms: 800, done: true });
  expect(connection.of('utterance').map(({ text }) => text)).toEqual(['Buenos días.', 'Pase usted.']);
  await clock.pass(20_000);
  expect(connection.of('utterance.end').map(({ reason }) => reason)).toEqual(['done', 'done']);
  expect(connection.story.at(-1)).toBe('listening');
});

test('a presenter continues without input, and answers questions between sections', async () => {
  const mind = {
    greeting: { en: 'Good evening.' },
    topics: [{ id: 'mars', ask: { en: 'Where is Mars?' }, tell: { en: 'Low in the east.' } }],
    presentation: [
      { id: 'a', title: { en: 'The Plough' }, tell: { en: 'Look up.' } },
      { id: 'b', title: { en: 'The Moon' }, tell: { en: 'It is full.' } },
    ],
  };
  const { connection, play, receive } = open({ mind, mode: 'presenter' });
  const said = () =>
    connection
      .of('message')
      .filter(({ role, status }) => role === 'character' && status === 'final')
      .map(({ text }) => text);
  await play(6000);
  expect(said()).toEqual(['Good evening.', 'The Plough. Look up.']);
  await receive({ type: 'text', id: 'q', text: 'Where is Mars?' });
  await play(3000);
  expect(said().at(-1)).toBe('Low in the east.');
  await play(10_000);
  expect(said().at(-1)).toMatch(/^Let us go on\. The Moon\. It is full\./);
});

describe('engines that fail', () => {
  test('a mind that fails is covered by one apology, and the next turn works', async () => {
    let calls = 0;
    const mind = {
      kind: 'model' as const,
      name: 'broken',
      begin: () => ({
        pace: 1,
        open: async function* () {},
        answer: async function* () {
          if (++calls === 1) throw new Error('boom');
          yield { text: 'Here I am.', locale: 'en', characterId: 'maren' };
        },
        nextSection: () => undefined,
        remember: () => {},
        suggestions: () => [],
        sorry: () => ({ text: 'Sorry, say that again?', locale: 'en', characterId: 'maren' }),
      }),
    };
    const { connection, play, receive, failures } = open({}, { mind });
    await play(100);
    await receive({ type: 'text', id: 'a', text: 'one' });
    await play(3000);
    expect(connection.of('error')).toMatchObject([{ code: 'MIND_FAILED', fatal: false }]);
    expect(connection.of('message').at(-1)!.text).toBe('Sorry, say that again?');
    await receive({ type: 'text', id: 'b', text: 'two' });
    await play(3000);
    expect(connection.of('message').at(-1)!.text).toBe('Here I am.');
    expect(failures).toEqual(['mind']);
  });

  test('a mind that produces nothing for 20 seconds is treated as failed, and its signal is aborted', async () => {
    let signal: AbortSignal | undefined;
    const mind = {
      kind: 'model' as const,
      name: 'silent',
      begin: () => ({
        pace: 1,
        open: async function* (given: AbortSignal) {
          signal = given;
          yield await new Promise<never>(() => {});
        },
        answer: async function* () {},
        nextSection: () => undefined,
        remember: () => {},
        suggestions: () => [],
        sorry: () => ({ text: 'Sorry.', locale: 'en', characterId: 'maren' }),
      }),
    };
    const { connection, clock, play } = open({}, { mind });
    await clock.pass(19_000);
    expect(connection.of('error')).toEqual([]);
    expect(signal?.aborted).toBe(false);
    await clock.pass(1500);
    expect(connection.of('error')).toMatchObject([{ code: 'MIND_FAILED' }]);
    expect(signal?.aborted).toBe(true);
    await play(3000);
    expect(connection.of('message').at(-1)).toMatchObject({ text: 'Sorry.', status: 'final' });
  });

  test('a voice that fails is replaced by captions', async () => {
    const speech = instantSpeech({ speak: async () => Promise.reject(new Error('hoarse')) });
    const { connection, clock } = open({ mind: { greeting: { en: 'Good morning. Come in.' } } }, { speech });
    await clock.pass(10_000);
    expect(connection.of('error')).toMatchObject([{ code: 'SPEECH_FAILED', fatal: false }]);
    expect(connection.of('utterance').map(({ speech }) => speech)).toEqual(['captions', 'captions']);
    expect(connection.story.at(-1)).toBe('listening');
  });
});

test('interim transcripts of the page are shown, final ones are answered', async () => {
  const { connection, play, receive } = open(
    { mind: harbor },
    { hello: { speech: { synthesis: [], recognition: ['en'] } } },
  );
  expect(connection.of('ready')[0]!.engines.hearing).toEqual({ kind: 'client', name: 'SpeechRecognition' });
  await play(3000);
  await receive({ type: 'transcript', id: 't', text: 'when do', status: 'interim' });
  await receive({ type: 'transcript', id: 't', text: 'when do the ferries', status: 'interim' });
  await receive({ type: 'transcript', id: 't', text: 'when do the ferries leave', status: 'final' });
  await receive({ type: 'transcript', id: 't', text: 'late', status: 'interim' });
  await play(3000);
  const mine = connection.of('message').filter(({ role }) => role === 'user');
  expect(mine.map(({ status, text }) => [status, text])).toEqual([
    ['partial', 'when do'],
    ['partial', 'when do the ferries'],
    ['final', 'when do the ferries leave'],
  ]);
  expect(connection.of('message').at(-1)!.text).toBe('At every full hour.');
});

test('with speech input off, audio and transcripts are rejected, and typing works', async () => {
  const { connection, play, receive } = open({ mind: harbor, speechInputMode: 'off' });
  await play(3000);
  await receive({ type: 'transcript', id: 't', text: 'ferry', status: 'final' });
  await receive({ type: 'audio.start' });
  expect(connection.of('error').map(({ code, re }) => [code, re])).toEqual([
    ['SPEECH_INPUT_OFF', 't'],
    ['SPEECH_INPUT_OFF', 'audio.start'],
  ]);
  await receive({ type: 'text', id: 'a', text: 'ferry' });
  await play(3000);
  expect(connection.of('message').at(-1)!.text).toBe('At every full hour.');
  expect(connection.of('ready')[0]!.engines.hearing).toEqual({ kind: 'none' });
});
