import { afterEach, describe, expect, test } from 'vitest';
import { instantSpeech } from '../harness/engines.ts';
import { closeStages, openStage as open } from '../harness/open-conversations.ts';
import { harbor } from '../mind/harbor.ts';

/** Also checks that ended sessions leave no timer. */
afterEach(closeStages);

const long =
  'The harbor wakes early, long before the town does. Boats come in with the first light. Gulls follow them.';
const talkative = {
  greeting: { en: 'Hi.' },
  topics: [{ id: 'day', ask: { en: 'day' }, words: { en: ['day'] }, tell: { en: long } }],
};

test('a session begins with ready, thinking, and the greeting', async () => {
  const { line, play } = open({ mind: harbor });
  await play(3000);
  expect(line.story).toEqual([
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
  expect(line.events.map(({ seq }) => seq)).toEqual(line.events.map((_, index) => index + 1));
  expect(line.of('message').map(({ status, text }) => [status, text])).toEqual([
    ['partial', 'Good morning!'],
    ['final', 'Good morning!'],
  ]);
});

test('a text comes back as exactly one final message of the user, and is answered', async () => {
  const { line, play, receive } = open({ mind: harbor });
  await play(3000);
  await receive({ type: 'text', id: 'a', text: 'When do the ferries leave?' });
  await receive({ type: 'text', id: 'a', text: 'When do the ferries leave?' });
  await play(3000);
  const messages = line.of('message');
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

test('the first piece is a clause, and partial texts are cumulative', async () => {
  const { line, play, receive } = open({ mind: talkative });
  await play(2000);
  await receive({ type: 'text', id: 'a', text: 'day' });
  await play(15_000);
  const answers = line.of('message').filter(({ role, text }) => role === 'character' && text !== 'Hi.');
  const partial = answers.filter(({ status }) => status === 'partial').map(({ text }) => text);
  expect(partial[0]).toBe('The harbor wakes early, long before the town does.');
  for (const [index, text] of partial.entries()) expect(text.startsWith(partial[index - 1] ?? '')).toBe(true);
  expect(answers.at(-1)).toMatchObject({ status: 'final', text: long });
});

test('cues come before the audio they time, and frames are whole, in order and marked at the end', async () => {
  const { line, play } = open({ mind: { greeting: { en: 'Good morning, my friend.' } } });
  await play(5000);
  const [utterance] = line.of('utterance');
  const [end] = line.of('utterance.end');
  expect(line.audio.every((frame) => frame.utterance === utterance!.utterance)).toBe(true);
  expect(line.audio.slice(0, -1).every(({ samples }) => samples === 640)).toBe(true);
  expect(line.audio.map(({ offset }) => offset)).toEqual(line.audio.map((_, index) => index * 640));
  expect(line.audio.filter(({ isLast }) => isLast)).toEqual([line.audio.at(-1)]);
  expect(end!.durationMs).toBe(line.audio.reduce((sum, { samples }) => sum + samples / 16, 0));
});

test('never more than 1.5 s of audio is ahead of what was played', async () => {
  const { line, clock, receive, play } = open({ mind: talkative });
  await play(2000);
  const before = line.audio.length;
  await receive({ type: 'text', id: 'a', text: 'day' });
  await clock.pass(60_000);
  const ahead = () => line.audio.slice(before).reduce((sum, { samples }) => sum + samples / 16, 0);
  expect(ahead()).toBeLessThanOrEqual(1500);
  expect(ahead()).toBeGreaterThan(1400);
  const { utterance } = line.of('utterance').at(-1)!;
  await receive({ type: 'played', utterance, ms: 400 });
  expect(ahead()).toBeLessThanOrEqual(1900);
  expect(ahead()).toBeGreaterThan(1800);
});

describe('an interruption', () => {
  test('is told at once; nothing more of the utterance follows, and the message says what was heard', async () => {
    const { line, receive, play } = open({ mind: talkative });
    await play(2000);
    await receive({ type: 'text', id: 'a', text: 'day' });
    await play(2000);
    const frames = line.audio.length;
    // The next utterance has already been sent; the client is still playing the previous one.
    const { utterance } = line.of('utterance').at(-2)!;
    await receive({ type: 'interrupt' });
    expect(line.of('interrupted')).toEqual([
      { type: 'interrupted', utterance, atMs: expect.any(Number), seq: expect.any(Number) },
    ]);
    await play(5000);
    expect(line.audio.length).toBe(frames);
    const last = line.of('message').at(-1)!;
    expect(last).toMatchObject({ status: 'final', interrupted: true });
    expect(long.startsWith(last.heard!)).toBe(true);
    expect(last.heard!.length).toBeGreaterThan(5);
    expect(last.heard!.length).toBeLessThan(long.length);
    expect(line.story.at(-1)).toBe('listening');
  });

  test('by a new text: the old message is cut, the new one answered', async () => {
    const { line, receive, play } = open({
      mind: { ...talkative, topics: [...talkative.topics, ...harbor.topics!] },
    });
    await play(2000);
    await receive({ type: 'text', id: 'a', text: 'day' });
    await play(1000);
    await receive({ type: 'text', id: 'b', text: 'ferry' });
    await play(5000);
    const finals = line
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

  test('while nobody speaks changes nothing', async () => {
    const { line, receive, play } = open({ mind: harbor });
    await play(3000);
    const { length } = line.events;
    await receive({ type: 'interrupt' });
    expect(line.events.length).toBe(length);
  });

  test('before anything was heard: nothing was heard', async () => {
    const { line, receive } = open({ mind: talkative });
    await receive({ type: 'ping', t: 1 });
    await receive({ type: 'interrupt' });
    expect(line.of('message').at(-1)).toMatchObject({ text: 'Hi.', interrupted: true, heard: '' });
  });
});

test('a dual session tells which part is in which language, each with its own voice', async () => {
  const speech = instantSpeech();
  const { line, play } = open(
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
  const pieces = line.of('utterance').map(({ locale, speech, text }) => [locale, speech, text]);
  expect(pieces).toEqual([
    ['en', 'server', 'Welcome.'],
    ['en', 'server', 'Here is how to say “Good morning”:'],
    ['pt-PT', 'client', 'Bom dia'],
    ['en', 'server', 'Now you.'],
  ]);
  expect(line.of('message').at(-1)!.spans).toEqual([
    { locale: 'en', text: 'Welcome. Here is how to say “Good morning”:' },
    { locale: 'pt-PT', text: 'Bom dia' },
    { locale: 'en', text: 'Now you.' },
  ]);
  expect(line.of('ready')[0]!.characters).toEqual([
    { characterId: 'maren', locale: 'en', secondaryLocale: 'pt-PT' },
  ]);
});

test('a language that nobody speaks is shown as captions, as long as speech would take', async () => {
  const { line, clock } = open({ locale: 'ja', mind: { greeting: { ja: 'ようこそいらっしゃいました。' } } });
  await clock.pass(100);
  const [utterance] = line.of('utterance');
  expect(utterance).toMatchObject({ speech: 'captions', locale: 'ja' });
  expect(line.of('ready')[0]!.engines.speech).toEqual({ kind: 'captions', name: 'captions' });
  expect(line.of('cues')[0]!.source).toBe('text');
  expect(line.of('cues')[0]!.cues.length).toBeGreaterThan(5);
  expect(line.of('utterance.end')).toEqual([]);
  await clock.pass(10_000);
  const [end] = line.of('utterance.end');
  expect(end!.durationMs).toBeGreaterThan(1000);
  expect(line.audio).toEqual([]);
  expect(line.story).toContain('listening');
});

test('a page that speaks itself is waited for, but not for ever', async () => {
  const { line, clock, receive } = open(
    { locale: 'es', mind: { greeting: { es: 'Buenos días. Pase usted.' } } },
    { hello: { speech: { synthesis: ['es_MX'], recognition: [] } } },
  );
  await clock.pass(100);
  expect(line.of('ready')[0]!.engines.speech.kind).toBe('client');
  const [first] = line.of('utterance');
  await receive({ type: 'played', utterance: first!.utterance, ms: 800, done: true });
  expect(line.of('utterance').map(({ text }) => text)).toEqual(['Buenos días.', 'Pase usted.']);
  await clock.pass(20_000);
  expect(line.of('utterance.end').map(({ reason }) => reason)).toEqual(['done', 'done']);
  expect(line.story.at(-1)).toBe('listening');
});

test('a presenter goes on by itself, and takes a question between sections', async () => {
  const mind = {
    greeting: { en: 'Good evening.' },
    topics: [{ id: 'mars', ask: { en: 'Where is Mars?' }, tell: { en: 'Low in the east.' } }],
    presentation: [
      { id: 'a', title: { en: 'The Plough' }, tell: { en: 'Look up.' } },
      { id: 'b', title: { en: 'The Moon' }, tell: { en: 'It is full.' } },
    ],
  };
  const { line, play, receive } = open({ mind, mode: 'presenter' });
  const said = () =>
    line
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
  test('a mind: one honest sentence, and the next turn works', async () => {
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
        goOn: () => undefined,
        remember: () => {},
        suggestions: () => [],
        sorry: () => ({ text: 'Sorry, say that again?', locale: 'en', characterId: 'maren' }),
      }),
    };
    const { line, play, receive, failures } = open({}, { mind });
    await play(100);
    await receive({ type: 'text', id: 'a', text: 'one' });
    await play(3000);
    expect(line.of('error')).toMatchObject([{ code: 'MIND_FAILED', fatal: false }]);
    expect(line.of('message').at(-1)!.text).toBe('Sorry, say that again?');
    await receive({ type: 'text', id: 'b', text: 'two' });
    await play(3000);
    expect(line.of('message').at(-1)!.text).toBe('Here I am.');
    expect(failures).toEqual(['mind']);
  });

  test('a mind that says nothing for 20 seconds', async () => {
    const mind = {
      kind: 'model' as const,
      name: 'silent',
      begin: () => ({
        pace: 1,
        open: async function* () {
          yield await new Promise<never>(() => {});
        },
        answer: async function* () {},
        goOn: () => undefined,
        remember: () => {},
        suggestions: () => [],
        sorry: () => ({ text: 'Sorry.', locale: 'en', characterId: 'maren' }),
      }),
    };
    const { line, clock, play } = open({}, { mind });
    await clock.pass(19_000);
    expect(line.of('error')).toEqual([]);
    await clock.pass(1500);
    expect(line.of('error')).toMatchObject([{ code: 'MIND_FAILED' }]);
    await play(3000);
    expect(line.of('message').at(-1)).toMatchObject({ text: 'Sorry.', status: 'final' });
  });

  test('a voice: the text is shown instead', async () => {
    const speech = instantSpeech({ speak: async () => Promise.reject(new Error('hoarse')) });
    const { line, clock } = open({ mind: { greeting: { en: 'Good morning. Come in.' } } }, { speech });
    await clock.pass(10_000);
    expect(line.of('error')).toMatchObject([{ code: 'SPEECH_FAILED', fatal: false }]);
    expect(line.of('utterance').map(({ speech }) => speech)).toEqual(['captions', 'captions']);
    expect(line.story.at(-1)).toBe('listening');
  });
});

test('transcripts of the page: interim ones are shown, final ones answered', async () => {
  const { line, play, receive } = open(
    { mind: harbor },
    { hello: { speech: { synthesis: [], recognition: ['en'] } } },
  );
  expect(line.of('ready')[0]!.engines.hearing).toEqual({ kind: 'client', name: 'SpeechRecognition' });
  await play(3000);
  await receive({ type: 'transcript', id: 't', text: 'when do', status: 'interim' });
  await receive({ type: 'transcript', id: 't', text: 'when do the ferries', status: 'interim' });
  await receive({ type: 'transcript', id: 't', text: 'when do the ferries leave', status: 'final' });
  await receive({ type: 'transcript', id: 't', text: 'late', status: 'interim' });
  await play(3000);
  const mine = line.of('message').filter(({ role }) => role === 'user');
  expect(mine.map(({ status, text }) => [status, text])).toEqual([
    ['partial', 'when do'],
    ['partial', 'when do the ferries'],
    ['final', 'when do the ferries leave'],
  ]);
  expect(line.of('message').at(-1)!.text).toBe('At every full hour.');
});

test('with speech input off, sound and transcripts are refused, and typing works', async () => {
  const { line, play, receive } = open({ mind: harbor, speechInputMode: 'off' });
  await play(3000);
  await receive({ type: 'transcript', id: 't', text: 'ferry', status: 'final' });
  await receive({ type: 'audio.start' });
  expect(line.of('error').map(({ code, re }) => [code, re])).toEqual([
    ['SPEECH_INPUT_OFF', 't'],
    ['SPEECH_INPUT_OFF', 'audio.start'],
  ]);
  await receive({ type: 'text', id: 'a', text: 'ferry' });
  await play(3000);
  expect(line.of('message').at(-1)!.text).toBe('At every full hour.');
  expect(line.of('ready')[0]!.engines.hearing).toEqual({ kind: 'none' });
});
