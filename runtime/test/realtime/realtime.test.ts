import { expectWithin } from '@session-launch/testing/slowness.ts';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { OpusCodec } from '../../src/opus/codec.ts';
import type { Client } from '../harness/client.ts';
import type { SessionOptions } from '../harness/session.ts';
import { alignment, decoded, packetsIn } from '../opus/opus.ts';
import {
  apiKey,
  openVoices,
  type RealtimeWorld,
  say,
  startRealtimeWorld,
  type Voices,
} from './realtime-world.ts';

let voices: Voices;
let world: RealtimeWorld | undefined;
beforeAll(async () => {
  voices = await openVoices();
});
afterEach(async () => {
  const { model } = world ?? {};
  await world?.close();
  world = undefined;
  expect(model?.problems).toEqual([]);
});
afterAll(() => voices.close());

async function open(
  ...args: Parameters<typeof startRealtimeWorld> extends [unknown, ...infer R] ? R : never
) {
  world = await startRealtimeWorld(voices, ...args);
  return world;
}

const reply = 'Good morning. The ferries leave at every full hour.';

/** Resolves with the next message of the character that is complete. */
const answer = (client: Client, from = 0) =>
  client.event('message', ({ role, status }) => role === 'character' && status === 'final', from);

const types = (events: { type: string }[]) => events.map(({ type }) => type);

/** Joins a session and waits for the end of the greeting. */
async function greeted(at: RealtimeWorld, options: SessionOptions = {}) {
  const client = await at.join(options);
  await answer(client);
  await client.event('mode', ({ mode }) => mode === 'listening');
  return client;
}

describe('a conversation with a realtime model', () => {
  test('the model gets the persona, speaks the greeting first, and its transcript becomes a message', async () => {
    const { join, model } = await open();
    const client = await join({ mind: { persona: 'You are Maren.', greeting: { en: ['Ahoy there!'] } } });
    expect((await answer(client)).text).toBe(reply);
    const { engines, audio } = await client.event('ready');
    expect(audio.output.sampleRate).toBe(24_000);
    expect(engines).toEqual({
      mind: { kind: 'model', name: 'gpt-realtime' },
      speech: { kind: 'server', name: 'gpt-realtime' },
      hearing: { kind: 'server', name: 'gpt-realtime' },
    });
    const [session] = model.sessions;
    expect(session!.url.searchParams.get('model')).toBe('gpt-realtime');
    expect(session!.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(session!.settings.instructions).toMatch(/^You are Maren\.[\s\S]*Speak English[\s\S]*honestly/);
    expect(session!.settings.audio.output.voice).toBe('marin');
    expect(session!.settings.audio.input.transcription).toEqual({
      model: 'gpt-4o-mini-transcribe',
      language: 'en',
    });
    expect(types(session!.events)).toEqual(['session.update', 'conversation.item.create', 'response.create']);
    expect(session!.items[0]).toMatchObject({ role: 'system', text: expect.stringContaining('Ahoy there!') });
  });

  test('its audio arrives unchanged, and mouth shapes and words before the audio that they time', async () => {
    const { join } = await open();
    const client = await join();
    await answer(client);
    const expected = await voices.speak(reply, 24_000);
    const received = Buffer.concat(client.frames.map((frame) => frame.subarray(8)));
    expect(received.equals(Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength))).toBe(
      true,
    );
    expect(client.frames.at(-1)!.readUInt8(1)).toBe(1);
    const cues = client.events.flatMap((event) => (event.type === 'cues' ? event.cues : []));
    expect(cues.map(([ms]) => ms)).toEqual(cues.map(([ms]) => ms).sort((a, b) => a - b));
    expect(new Set(cues.map(([, viseme]) => viseme)).size).toBeGreaterThan(6);
    const words = client.events.flatMap((event) => (event.type === 'cues' ? (event.words ?? []) : []));
    expect(words.map(([, start, end]) => reply.slice(start, end))).toEqual(reply.match(/\w+/g));
    const end = await client.event('utterance.end');
    expect(end.durationMs).toBe(Math.round(expected.length / 24));
    expect(words.at(-1)![0]).toBeLessThanOrEqual(end.durationMs);
  });

  test('its audio is sent as Opus while it arrives, to clients that play it', async () => {
    const codec = await OpusCodec.open();
    onTestFinished(() => codec.close());
    const { join } = await open({}, { codec });
    const client = await join({ audio: { output: ['opus'] } });
    await answer(client);
    const expected = await voices.speak(reply, 24_000);
    const last = client.frames.at(-1)!;
    expect([last.readUInt8(1), last.length, last.readUInt32LE(4)]).toEqual([3, 8, expected.length]);
    const format = { sampleRate: 24_000, preSkip: 156, samples: expected.length } as const;
    const heard = await decoded(client.frames.flatMap(packetsIn), format);
    const { shift, similarity } = alignment(expected, heard, 48);
    // Half a millisecond: the filters of the codec shift low frequencies.
    expect(Math.abs(shift)).toBeLessThanOrEqual(12);
    expect(similarity).toBeGreaterThan(0.8);
    expect((await client.event('utterance.end')).durationMs).toBe(Math.round(expected.length / 24));
  });

  test('a typed text is answered', async () => {
    const client = await greeted(await open());
    world!.model.reply = 'You are welcome.';
    expect(await client.ask('Thank you!', 'm1')).toBe('You are welcome.');
    const [session] = world!.model.sessions;
    expect(session!.items.map(({ role, text }) => [role, text]).slice(2)).toEqual([
      ['user', 'Thank you!'],
      ['assistant', 'You are welcome.'],
    ]);
    const metrics = await client.event('metrics', ({ turn }) => turn === 2);
    expect(metrics.totalMs).toBeGreaterThanOrEqual(metrics.mindMs);
  });

  test('a spoken turn is heard while it is spoken, answered, and its transcript is the only final message of the user', async () => {
    const client = await greeted(await open());
    const { model } = world!;
    model.reply = 'At every full hour.';
    const from = client.events.length;
    const speech = await voices.speak('When do the ferries leave?', 16_000);
    await say(client, speech);
    expect((await answer(client, from)).text).toBe('At every full hour.');
    const mine = client.events.flatMap((event) =>
      event.type === 'message' && event.role === 'user' ? [event] : [],
    );
    expect(mine[0]).toMatchObject({ status: 'partial', text: '…' });
    expect(mine.filter(({ status }) => status === 'final').map(({ text }) => text)).toEqual([
      'When do the ferries leave?',
    ]);
    // The place of the user's message is before the answer.
    const answerAt = client.events.findIndex(
      (event, at) => at >= from && event.type === 'message' && event.role === 'character',
    );
    expect(client.events.indexOf(mine[0]!)).toBeLessThan(answerAt);
    const heard = model.sessions[0]!.items.find(({ audioMs, role }) => role === 'user' && audioMs > 0)!;
    expect(Math.abs(heard.audioMs - speech.length / 16)).toBeLessThan(900);
    expect(model.sessions[0]!.committedPeak).toBeGreaterThan(3000);
  });

  test('in manual mode, the audio between pressing and releasing is a turn', async () => {
    const client = await greeted(await open(), { speechInputMode: 'manual' });
    world!.model.reply = 'At every full hour.';
    const from = client.events.length;
    const speech = await voices.speak('When do the ferries leave?', 16_000);
    await say(client, speech.subarray(0, 6400), 0);
    expect(world!.model.sessions[0]!.bufferedMs).toBe(0);
    client.send({ type: 'audio.start' });
    await say(client, speech, 0);
    client.send({ type: 'audio.end' });
    expect((await answer(client, from)).text).toBe('At every full hour.');
    const heard = world!.model.sessions[0]!.items.find(
      ({ audioMs, role }) => role === 'user' && audioMs > 0,
    )!;
    expect(Math.abs(heard.audioMs - speech.length / 16)).toBeLessThan(5);
  });

  test('speech that the model cannot transcribe is shown as such', async () => {
    const client = await greeted(await open());
    world!.model.transcript = undefined;
    const from = client.events.length;
    await say(client, await voices.speak('When do the ferries leave?', 16_000));
    await answer(client, from);
    const mine = await client.event('message', ({ role, status }) => role === 'user' && status === 'final');
    expect(mine.text).toBe('…');
  });

  test('the mouth follows the level while the transcript is late', async () => {
    const at = await open();
    at.model.next.push({ kind: 'late transcript' });
    const client = await at.join();
    await answer(client);
    const first = await client.event('cues');
    expect(first.source).toBe('level');
    expect(new Set(first.cues.map(([, viseme]) => viseme)).size).toBeGreaterThan(1);
  });
});

describe('an interruption', () => {
  /** Lets a client hear `ms` of the greeting. */
  async function hearing(heardMs: number) {
    const at = await open();
    at.model.reply = `${reply} The last one leaves at ten. Bring a coat, for it is windy on the water. And mind the gulls.`;
    const client = await at.join({ plays: false });
    const { utterance } = await client.event('utterance');
    await expect.poll(() => client.frames.length * 40).toBeGreaterThanOrEqual(1400);
    client.send({ type: 'played', utterance, ms: heardMs });
    await client.handled();
    return { at, client };
  }

  test.each([0, 480, 1280])(
    'cancels the response and truncates it at the %i ms that the user has heard',
    async (heardMs) => {
      const { at, client } = await hearing(heardMs);
      client.send({ type: 'interrupt' });
      const final = await answer(client);
      expect(final.interrupted).toBe(true);
      const words = (final.heard ?? '').split(' ').filter((word) => word !== '').length;
      if (heardMs === 0) expect(words).toBe(0);
      else expect(words).toBeGreaterThan(0);
      const [session] = at.model.sessions;
      await expect.poll(() => session!.items.find(({ role }) => role === 'assistant')?.keptMs).toBe(heardMs);
      expect(final.heard!.length).toBeLessThan(final.text.length);
    },
  );

  test('by speech stops the character, and the next response waits for the end of the cancelled one', async () => {
    const at = await open();
    at.model.reply = `${reply} ${reply} ${reply}`;
    at.model.next.push({ kind: 'slow', deltaMs: 60 });
    const client = await at.join();
    await client.event('utterance');
    at.model.reply = 'Of course.';
    await say(client, await voices.speak('Excuse me, one question please.', 16_000));
    const interrupted = await client.event('interrupted');
    expect(interrupted.atMs).toBeGreaterThanOrEqual(0);
    const from = client.events.indexOf(await answer(client)) + 1;
    expect((await answer(client, from)).text).toBe('Of course.');
    const [session] = at.model.sessions;
    expect(types(session!.events)).toContain('response.cancel');
    expect(session!.items.find(({ role }) => role === 'assistant')!.keptMs).toBeDefined();
  });

  test('that arrives before the first audio cancels the response', async () => {
    const at = await open();
    at.model.next.push({ kind: 'slow', deltaMs: 5 });
    const client = await at.join();
    client.send({ type: 'interrupt' });
    await client.event('mode', ({ mode }) => mode === 'listening');
    at.model.reply = 'Yes?';
    expect(await client.ask('Hello?')).toBe('Yes?');
  });
});

describe('an upstream', () => {
  test('that is slow is played as it arrives', async () => {
    const at = await open();
    at.model.next.push({ kind: 'slow', deltaMs: 120 });
    const client = await at.join();
    await expect.poll(() => client.frames.length).toBeGreaterThan(2);
    expect(client.story).not.toContain('utterance.end');
    expect((await answer(client)).text).toBe(reply);
  });

  test('that closes the connection before any audio is connected again once, and the turn is answered', async () => {
    const client = await greeted(await open());
    const { model } = world!;
    model.next.push({ kind: 'cut', after: 0 });
    expect(await client.ask('When do they leave?')).toBe(reply);
    expect(model.sessions.length).toBe(2);
    // The new connection knows what was said before.
    const texts = model.sessions[1]!.items.map(({ role, text }) => `${role}: ${text}`);
    expect(texts).toEqual([
      expect.stringMatching(/^system: /),
      `assistant: ${reply}`,
      'user: When do they leave?',
      `assistant: ${reply}`,
    ]);
  });

  test('that closes the connection between two turns is connected again', async () => {
    const client = await greeted(await open());
    world!.model.sessions[0]!.cut();
    await expect.poll(() => world!.model.sessions[0]!.isClosed).toBe(true);
    expect(await client.ask('Are you there?')).toBe(reply);
    expect(client.story).not.toContain('error');
  });

  test('that is cut during a spoken turn hears the audio again', async () => {
    const client = await greeted(await open());
    const { model } = world!;
    model.next.push({ kind: 'cut', after: 0 });
    const from = client.events.length;
    const speech = await voices.speak('When do the ferries leave?', 16_000);
    await say(client, speech);
    expect((await answer(client, from)).text).toBe(reply);
    const heard = model.sessions[1]!.items.find(({ audioMs, role }) => role === 'user' && audioMs > 0)!;
    expect(Math.abs(heard.audioMs - speech.length / 16)).toBeLessThan(900);
    const finals = client.events.filter(
      (event) => event.type === 'message' && event.role === 'user' && event.status === 'final',
    );
    expect(finals).toHaveLength(1);
  });

  const wrongEvents = [
    ['is no JSON', 'this is no event'],
    ['is no object', '[]'],
    [
      'has audio that is no base64',
      '{"type":"response.output_audio.delta","response_id":"RESPONSE","item_id":"a","delta":"%%%%"}',
    ],
    [
      'lacks a field',
      '{"type":"response.output_audio_transcript.delta","response_id":"RESPONSE","item_id":"a"}',
    ],
  ] as const;
  test.each([
    ...wrongEvents.map(([what, json]) => [`sends an event that ${what}`, { kind: 'wrong', json }] as const),
    ['is cut in the middle of its answer', { kind: 'cut', after: 8 }] as const,
    ['fails', { kind: 'failed', code: 'rate_limit_exceeded' }] as const,
  ])(
    'that %s costs one honest sentence of the included voice, and the next turn works',
    async (_what, behaviour) => {
      const client = await greeted(await open());
      const { model } = world!;
      model.next.push(behaviour);
      const text = await client.ask('When do they leave?');
      expect(text).toMatch(/sorry/i);
      const error = await client.event('error');
      expect(error).toMatchObject({ code: 'MIND_FAILED', fatal: false });
      expect(client.events.filter(({ type }) => type === 'error')).toHaveLength(1);
      expect(await client.ask('Once more?')).toBe(reply);
      expect(await world!.runtime.metrics()).toContain(
        'session_runtime_engine_failures_total{engine="mind"} 1',
      );
    },
  );

  test('that sends nothing costs one honest sentence, and the next turn uses another connection', async () => {
    let silenceMs = 15_000;
    const clock = {
      now: () => systemClock.now(),
      after: (ms: number, call: () => void) => systemClock.after(ms === 15_000 ? silenceMs : ms, call),
    };
    const client = await greeted(await open({}, { clock }));
    const { model } = world!;
    silenceMs = 300;
    model.next.push({ kind: 'silent' });
    expect(await client.ask('When do they leave?')).toMatch(/sorry/i);
    silenceMs = 15_000;
    expect(await client.ask('Once more?')).toBe(reply);
    expect(model.sessions.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  test('that refuses every connection is tried twice in a turn, and the session stays', async () => {
    const at = await open();
    at.model.nextConnection.push({ kind: 'status', status: 503 }, { kind: 'close' });
    const client = await at.join();
    expect((await answer(client)).text).toMatch(/sorry/i);
    expect(at.model.nextConnection).toEqual([]);
    expect(await client.ask('Hello?')).toBe(reply);
  });

  test('that rejects the key is not tried again in this turn', async () => {
    const at = await open();
    at.model.nextConnection.push({ kind: 'status', status: 401 });
    const client = await at.join();
    expect((await answer(client)).text).toMatch(/sorry/i);
    expect(at.model.sessions).toEqual([]);
    expect(at.log.join('')).toContain('the key is missing or wrong');
  });
});

test('after a lost connection of the client, the rest of the answer follows in another utterance', async () => {
  const at = await open();
  at.model.reply = `${reply} ${reply} ${reply}`;
  const client = await at.join({ plays: false });
  const { resumeTicket } = await client.event('ready');
  await expect.poll(() => client.frames.length * 40).toBeGreaterThanOrEqual(1400);
  const lastSeq = client.events.at(-1)!.seq;
  client.ws.terminate();
  await client.closed;
  const again = await at.client();
  again.hello({ resume: { ticket: resumeTicket, lastSeq } });
  await answer(again);
  const utterance = await again.event('utterance');
  const text = at.model.reply;
  expect(text.endsWith(utterance.text) || text.includes(utterance.text)).toBe(true);
  const samples = [...client.frames, ...again.frames].reduce((sum, frame) => sum + (frame.length - 8) / 2, 0);
  expect(samples).toBe((await voices.speak(text, 24_000)).length);
  const words = again.events.flatMap((event) => (event.type === 'cues' ? (event.words ?? []) : []));
  expect(words.at(-1)![1] - words[0]![1]).toBe(text.lastIndexOf('hour') - text.indexOf(utterance.text));
});

test('20 sessions talk at once, each with its own model session', async () => {
  const at = await open();
  const clients = await Promise.all(Array.from({ length: 20 }, () => greeted(at)));
  const answers = await Promise.all(clients.map((client, n) => client.ask(`Question ${n}`)));
  expect(answers).toEqual(Array(20).fill(reply));
  expect(at.model.sessions).toHaveLength(20);
  const asked = at.model.sessions.map(({ items }) =>
    items.filter(({ role }) => role === 'user').map(({ text }) => text),
  );
  expect(asked.flat().sort()).toEqual(Array.from({ length: 20 }, (_, n) => `Question ${n}`).sort());
  for (const client of clients) client.send({ type: 'bye' });
  await expect.poll(() => at.model.sessions.every(({ isClosed }) => isClosed)).toBe(true);
});

test('the first audio of the model reaches the client within 20 ms, in 19 of 20 turns', async () => {
  const at = await open();
  at.model.reply = 'Yes.';
  const delays: number[] = [];
  // Ten texts of each session: more are too fast.
  for (let session = 0; session < 4; session++) {
    const client = await greeted(at);
    let isFirst = false;
    client.ws.on('message', (_data, isBinary) => {
      if (!isBinary || !isFirst) return;
      isFirst = false;
      delays.push(performance.now() - at.model.firstAudioAt.at(-1)!);
    });
    for (let turn = 0; turn < 10; turn++) {
      isFirst = true;
      await client.ask('Really?');
    }
  }
  delays.sort((a, b) => a - b);
  expect(delays).toHaveLength(40);
  const [median, p95] = [delays[20]!, delays[37]!];
  process.stderr.write(
    `model audio to first frame: ${median.toFixed(1)} ms median, ${p95.toFixed(1)} ms p95\n`,
  );
  expectWithin(p95, 20);
});

describe('settings', () => {
  const mind = { realtime: { model: 'gpt-realtime-mini', voice: 'cedar' } };

  test('an experience selects a model and a voice that the operator lists', async () => {
    const at = await open({ models: ['gpt-realtime-mini'], voices: ['cedar', 'ash'] });
    await greeted(at, { mind });
    expect(at.model.sessions[0]!.url.searchParams.get('model')).toBe('gpt-realtime-mini');
    expect(at.model.sessions[0]!.settings.audio.output.voice).toBe('cedar');
  });

  test('a model and a voice that the operator does not list are ignored, with a line in the log', async () => {
    const at = await open({ models: ['gpt-realtime-max'] });
    const client = await greeted(at, { mind });
    expect((await client.event('ready')).engines.mind.name).toBe('gpt-realtime');
    expect(at.model.sessions[0]!.settings.audio.output.voice).toBe('marin');
    expect(at.log.filter((line) => line.includes('mind.realtime.'))).toHaveLength(2);
  });

  test('tokens and seconds of audio are metrics', async () => {
    const client = await greeted(await open());
    await say(client, await voices.speak('When do the ferries leave?', 16_000));
    await client.event('metrics', ({ turn }) => turn === 2);
    const text = async () => world!.runtime.metrics();
    await expect.poll(text).toMatch(/realtime_tokens_total\{direction="input",kind="text"\} 30/);
    expect(await text()).toMatch(/realtime_tokens_total\{direction="output",kind="audio"\} [1-9]/);
    const seconds = (direction: string, metrics: string) =>
      Number(new RegExp(`audio_seconds_total\\{direction="${direction}"\\} ([\\d.]+)`).exec(metrics)![1]);
    const speech = (await voices.speak('When do the ferries leave?', 16_000)).length / 16_000;
    expect(Math.abs(seconds('input', await text()) - speech)).toBeLessThan(0.9);
    expect(seconds('output', await text())).toBeGreaterThan(1);
  });

  test('neither the key nor words of the conversation are logged', async () => {
    const at = await open({}, { logLevel: 'debug' });
    const client = await greeted(at);
    at.model.next.push({ kind: 'failed', code: 'sk-secret planted' });
    await client.ask('planted words');
    await say(client, await voices.speak('When do the ferries leave?', 16_000));
    client.send({ type: 'bye' });
    await client.closed;
    const log = at.log.join('');
    expect(log).toContain('an engine failed');
    expect(log).not.toMatch(/planted|ferries|sk-secret|good morning/i);
  });

  test('a presenter tells one section after the other, and returns to one that was interrupted', async () => {
    const at = await open();
    const presentation = [
      { id: 'a', title: { en: 'The Plough' }, tell: { en: 'Find seven stars.' } },
      { id: 'b', title: { en: 'The Moon' }, tell: { en: 'It is close.' } },
    ];
    await at.join({ mode: 'presenter', mind: { presentation } });
    const asked = () =>
      at.model.sessions[0]!.items.filter(({ role }) => role === 'system').map(({ text }) => text);
    await expect.poll(() => asked().length, { timeout: 30_000 }).toBe(3);
    expect(asked()[1]).toContain('The Plough\nFind seven stars.');
    expect(asked()[2]).toContain('The Moon\nIt is close.');
  });
});

describe('tools', () => {
  const book = {
    name: 'book_table',
    description: 'Books a table.',
    parameters: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] },
    url: 'https://booking.example.com/book',
  };
  const options: SessionOptions = { mind: { tools: [book] } };
  const call: [string, string] = ['book_table', '{"people":2}'];
  const toolEvents = (client: Client) =>
    client.events.flatMap((event) => (event.type === 'tool' ? [`${event.name} ${event.status}`] : []));
  const outputsIn = ({ model }: RealtimeWorld) =>
    model.sessions.flatMap(({ calls }) => [...calls.values()].map(({ output }) => output));

  test('are offered; the service makes the call, and the model speaks about its result', async () => {
    const at = await open();
    const client = await greeted(at, options);
    at.service.callTool = async () => ({ outcome: 'done', output: '{"booked":"19:30"}' });
    at.model.next.push({ kind: 'calls', calls: [call] });
    at.model.reply = 'Your table is booked.';
    expect(await client.ask('A table for two.')).toBe('Your table is booked.');
    const { url: _, ...offered } = book;
    expect(at.model.sessions[0]!.settings.tools).toEqual([{ type: 'function', ...offered }]);
    expect(at.service.toolCalls).toEqual([
      {
        ...{ sessionId: client.sessionId, runtimeId: at.runtime.runtimeId },
        ...{ name: 'book_table', arguments: { people: 2 } },
      },
    ]);
    expect(outputsIn(at)).toEqual(['{"booked":"19:30"}']);
    expect(toolEvents(client)).toEqual(['book_table running', 'book_table done']);
  });

  test('what the model says before a call and after it is one message', async () => {
    const at = await open();
    const client = await greeted(at, options);
    at.model.next.push({ kind: 'calls', calls: [call], speaks: true });
    at.model.reply = 'One moment.';
    expect(await client.ask('A table for two.')).toBe('One moment. One moment.');
    expect(at.service.toolCalls).toHaveLength(1);
  });

  test('at most five calls are made in one turn, not a sixth, and the model must then answer', async () => {
    const at = await open();
    const client = await greeted(at, options);
    for (let n = 0; n < 3; n++) at.model.next.push({ kind: 'calls', calls: [call, call] });
    at.model.next.push({ kind: 'calls', calls: [call] });
    expect(await client.ask('Book them all.')).toBe(reply);
    expect(at.service.toolCalls).toHaveLength(5);
    expect(outputsIn(at).at(-1)).toContain('at most 5');
    expect(at.model.sessions[0]!.events.at(-1)).toMatchObject({
      ...{ type: 'response.create', response: { tool_choice: 'none' } },
    });
  });

  test('arguments that are no JSON object and invented names are not sent; the model gets an error', async () => {
    const at = await open();
    const client = await greeted(at, options);
    at.model.next.push({
      kind: 'calls',
      calls: [
        ['book_table', '{"people":'],
        ['invented', '{}'],
      ],
    });
    expect(await client.ask('A table for two.')).toBe(reply);
    expect(at.service.toolCalls).toEqual([]);
    expect(outputsIn(at)).toEqual([
      expect.stringContaining('JSON object'),
      expect.stringContaining('no such tool'),
    ]);
    expect(toolEvents(client)).toEqual([]);
  });

  test('the result of a call that was interrupted still reaches the model, which answers the next turn first', async () => {
    const at = await open();
    const client = await greeted(at, options);
    let answerCall: () => void = () => {};
    at.service.callTool = () =>
      new Promise((resolve) => {
        answerCall = () => resolve({ outcome: 'done', output: '{"booked":true}' });
      });
    at.model.next.push({ kind: 'calls', calls: [call] });
    client.send({ type: 'text', id: 'm1', text: 'A table for two.' });
    await client.event('tool');
    at.model.reply = 'Of course.';
    expect(await client.ask('Wait.')).toBe('Of course.');
    expect(outputsIn(at)).toEqual([undefined]);
    answerCall();
    await expect.poll(() => outputsIn(at)).toEqual(['{"booked":true}']);
    expect(await client.ask('Is it booked?')).toBe('Of course.');
  });

  test('a connection that is lost after a call is not repeated; the next one gets the call and its result as such', async () => {
    const at = await open();
    const client = await greeted(at, options);
    at.model.next.push({ kind: 'calls', calls: [call] }, { kind: 'cut', after: 0 });
    expect(await client.ask('A table for two.')).toMatch(/sorry/i);
    expect(at.service.toolCalls).toHaveLength(1);
    expect(await client.ask('Is it booked?')).toBe(reply);
    const told = at.model.sessions[1]!;
    expect([...told.calls.values()]).toEqual([
      { name: 'book_table', written: '{"people":2}', output: '{"ok":true}' },
    ]);
    expect(told.items.filter(({ text }) => text.includes('"ok"'))).toEqual([]);
  });

  test('no argument, key or spoken word is in the log', async () => {
    const at = await open({}, { logLevel: 'info' });
    const client = await greeted(at, options);
    at.service.callTool = () => Promise.reject(new Error('Zaphod'));
    at.service.isDown = true;
    at.model.next.push({ kind: 'calls', calls: [['book_table', '{"people":2,"name":"Zaphod"}']] });
    await client.ask('A table for Zaphod.');
    const log = at.log.join('');
    expect(log).toContain('the service could not call a tool');
    for (const secret of ['Zaphod', 'people', apiKey]) expect(log).not.toContain(secret);
  });
});
