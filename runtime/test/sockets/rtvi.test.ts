import { bounds } from '@session-launch/contract/runtime/protocol';
import { RtviClient } from '@session-launch/testing/rtvi-client.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { instantSpeech, scriptedHearing } from '../harness/engines.ts';
import { joinRtvi, openRtvi } from '../harness/rtvi.ts';
import { startWorld, type World, type WorldOptions } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

/** Replaces the world of a test. */
async function another(options: WorldOptions): Promise<void> {
  await world.close();
  world = await startWorld(options);
}

const stopped = (client: RtviClient, from = 0) => client.message('bot-stopped-speaking', undefined, from);
const quiet = (ms: number, rate = 16_000) => new Int16Array((ms * rate) / 1000);
const loud = (ms: number, rate = 16_000) => quiet(ms, rate).fill(9000);

/** Speaks for 600 ms, then is silent for as long as it takes to end a turn. */
function speak(client: RtviClient): void {
  for (let i = 0; i < 6; i++) client.sendAudio(loud(100));
  for (let i = 0; i < 6; i++) client.sendAudio(quiet(100));
}

/** Ends the session's reports and returns the last one. */
async function lastReport() {
  await expect.poll(() => world.runtime.sessions).toBe(0);
  await world.runtime.drain(0);
  return world.service.reports.at(-1)!.sessions[0]!;
}

test('client-ready is answered with bot-ready, which has its id, and the character speaks first', async () => {
  const { token, sessionId } = world.service.mint({ mind: harbor });
  const client = await openRtvi(world, token);
  const id = client.ready();
  const ready = await client.message('bot-ready');
  expect(ready).toMatchObject({ id, label: 'rtvi-ai', data: { version: '2.1.0', about: { sessionId } } });
  await stopped(client);
  const { story } = client;
  const once = [...new Set(story)];
  expect(once).toEqual([
    'bot-ready',
    'user-mute-started',
    'bot-llm-started',
    'bot-llm-text',
    'bot-started-speaking',
    'bot-output',
    'bot-tts-started',
    'cues',
    'bot-tts-text',
    'bot-tts-stopped',
    'bot-llm-stopped',
    'bot-stopped-speaking',
  ]);
  expect(client.audio.length).toBeGreaterThan(0);
});

test('send-text is answered in text and sound; words, progress and mouth shapes belong to it', async () => {
  const client = await joinRtvi(world, { mind: harbor });
  await stopped(client);
  const [from, sound] = [client.messages.length, client.audio.length];
  client.send('send-text', { content: 'ferry', options: { run_immediately: true } });
  await stopped(client, from);
  const answer = client.messages.slice(from);
  const textOf = (type: string) => answer.filter((one) => one.type === type).map(({ data }) => data.text);
  expect(textOf('user-llm-text')).toEqual(['ferry']);
  expect(textOf('user-transcription')).toEqual([]);
  expect(textOf('bot-llm-text').join('')).toBe('At every full hour.');
  expect(textOf('bot-tts-text')).toEqual(['At', 'every', 'full', 'hour.']);
  const output = answer.filter(({ type }) => type === 'bot-output').map(({ data }) => data);
  expect(output[0]).toMatchObject({
    text: 'At every full hour.',
    will_be_spoken: true,
    spoken_status: 'new',
  });
  expect(output.at(-1)).toMatchObject({
    spoken_status: 'completed',
    spoken_progress: { accumulated_text: 'At every full hour.', remaining_text: '' },
  });
  const cues = answer.find(({ type, data }) => type === 'server-message' && data.type === 'cues')!;
  expect(cues.data.cues.length).toBeGreaterThan(2);
  const frames = client.audio.slice(sound);
  // Everything about an utterance arrives before its sound.
  expect(frames[0]!.after).toBeGreaterThan(client.messages.indexOf(cues));
  const cueEnd = cues.data.cues.at(-1)[0];
  const samples = frames.reduce((sum, one) => sum + one.samples.length, 0);
  expect(samples / 24).toBeGreaterThan(cueEnd - 50);
});

test('sound is resampled to 24 kHz', async () => {
  const tone = (rate: number) => (_: unknown, i: number) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * 440 * i) / rate));
  const durationMs = 1000;
  const speech = instantSpeech({
    speak: async () => ({
      audio: Int16Array.from({ length: 16_000 }, tone(16_000)),
      ...{ durationMs, source: 'engine', cues: [], words: [] },
    }),
  });
  await another({ engines: { speech } });
  const client = await joinRtvi(world, { mind: { greeting: { en: ['Hm.'] } } });
  await stopped(client);
  const samples = client.audio.flatMap(({ samples }) => [...samples]);
  expect(samples.length).toBeGreaterThan(23_990);
  const expected = Array.from({ length: samples.length }, tone(24_000));
  const worst = Math.max(...samples.map((sample, i) => Math.abs(sample - expected[i]!)));
  // Linear interpolation of a sine of this frequency errs by at most 0.4 %.
  expect(worst).toBeLessThan(60);
});

test('a spoken turn: started, stopped, transcript, answer; audio of other rates and in two channels is accepted', async () => {
  await another({ engines: { hearing: scriptedHearing(['ferry', 'ferry', 'ferry']) } });
  const client = await joinRtvi(world, { mind: harbor });
  expect(client.story).not.toContain('user-mute-started');
  for (const [rate, channels] of [
    [16_000, 1],
    [24_000, 1],
    [48_000, 2],
  ] as const) {
    await client.until(() => client.story.filter((one) => one === 'bot-stopped-speaking').length > 0);
    const from = client.messages.length;
    for (let i = 0; i < 6; i++) client.sendAudio(loud(100, rate * channels), rate, channels);
    for (let i = 0; i < 6; i++) client.sendAudio(quiet(100, rate * channels), rate, channels);
    await stopped(client, from);
    const turn = client.messages.slice(from);
    const types = turn.map(({ type }) => type);
    const order = ['user-started-speaking', 'user-stopped-speaking', 'user-transcription', 'bot-llm-started'];
    expect(types.filter((type) => order.includes(type))).toEqual(order);
    const { data } = turn.find(({ type }) => type === 'user-transcription')!;
    expect(data).toMatchObject({ text: 'ferry', final: true, user_id: '' });
    expect(Number.isNaN(Date.parse(data.timestamp))).toBe(false);
  }
});

test('speech during an answer stops the sound; the next answer follows', async () => {
  await another({ engines: { hearing: scriptedHearing(['ferry']) } });
  const long = 'This sentence is long enough to be interrupted while it is being said. '.repeat(5);
  const client = await joinRtvi(world, { mind: { ...harbor, greeting: { en: [long] } } });
  await client.message('bot-tts-text');
  const from = client.messages.length;
  speak(client);
  await stopped(client, from);
  await client.message('bot-llm-text', ({ data }) => data.text === 'At every full hour.', from);
  await client.until(
    () => client.story.slice(from).filter((one) => one === 'bot-stopped-speaking').length > 1,
  );
  const { story } = client;
  expect(story.slice(from).indexOf('bot-tts-stopped')).toBeLessThan(
    story.slice(from).indexOf('bot-stopped-speaking'),
  );
  // Sound never ran far ahead: what was said of the long greeting is a small part of it.
  const spoken = client.messages.filter(({ type }) => type === 'bot-tts-text').map(({ data }) => data.text);
  expect(spoken.join(' ').length).toBeLessThan(long.length);
});

test('interrupt as a client message stops the character and is answered', async () => {
  const long = 'This sentence is long enough to be interrupted while it is being said. '.repeat(5);
  const client = await joinRtvi(world, { mind: { greeting: { en: [long] } } });
  await client.message('bot-tts-text');
  const id = client.send('client-message', { t: 'interrupt' });
  expect(await client.message('server-response')).toMatchObject({ id, data: { t: 'interrupt' } });
  await stopped(client);
  const before = client.audio.length;
  client.send('send-text', { content: '' });
  await client.message('error-response');
  expect(client.audio.length).toBe(before);
});

test('a locale without a voice is shown as text that will not be spoken', async () => {
  const client = await joinRtvi(world, { mind: { greeting: { de: ['Guten Tag!'] } }, locale: 'de' });
  const output = await client.message('bot-output');
  expect(output.data).toMatchObject({ text: 'Guten Tag!', will_be_spoken: false });
  await client.message('bot-llm-stopped');
  expect(client.audio).toEqual([]);
  expect(client.story).not.toContain('bot-started-speaking');
  expect(client.story).not.toContain('bot-tts-started');
});

describe('the end', () => {
  test('disconnect-bot ends the session: message, code 1000, report', async () => {
    const client = await joinRtvi(world, { mind: harbor });
    client.send('disconnect-bot');
    expect((await client.closed).code).toBe(1000);
    expect(client.messages.at(-1)!.data).toMatchObject({ type: 'ended', reason: 'client_ended' });
    expect(await lastReport()).toMatchObject({ sessionId: client.sessionId, ended: 'client_ended' });
  });

  test('a socket closed without a code ends the session as client_ended', async () => {
    const client = await joinRtvi(world, { mind: harbor });
    client.ws.close();
    expect(await lastReport()).toMatchObject({ ended: 'client_ended' });
  });

  test('a lost connection ends the session at once: RTVI cannot resume', async () => {
    const client = await joinRtvi(world, { mind: harbor });
    client.ws.terminate();
    expect(await lastReport()).toMatchObject({ ended: 'client_lost' });
  });

  test('a session ended by its owner closes with 4442 and says why', async () => {
    const client = await joinRtvi(world, { mind: harbor });
    world.service.ended.add(client.sessionId);
    expect((await client.closed).code).toBe(4442);
    expect(client.messages.at(-1)!.data).toMatchObject({ type: 'ended', reason: 'api_request' });
  });

  test('a shutdown announces itself and closes with 1001', async () => {
    const client = await joinRtvi(world, { mind: harbor });
    await stopped(client);
    const drained = world.runtime.drain(30);
    expect((await client.closed).code).toBe(1001);
    expect(client.story.slice(-2)).toEqual(['notice', 'ended']);
    await drained;
  });
});

/** Waits for the fatal error and the close. */
async function refusalOf(client: RtviClient): Promise<[string, number]> {
  const { code } = await client.closed;
  const { data } = await client.message('error', (one) => one.data.fatal);
  expect(data.message).toBe(data.error);
  expect(data.message).not.toBe('');
  return [data.code, code];
}

describe('errors before the session end cleanly', () => {
  const mint = () => world.service.mint({ mind: harbor }).token;

  test.each<[string, (client: RtviClient) => void, [string, number]]>([
    ['text frame', (client) => client.ws.send('{"type":"client-ready"}'), ['PROTOCOL', 4400]],
    ['no protobuf', (client) => client.ws.send(Buffer.from([0xff, 0xff, 0xff])), ['PROTOCOL', 4400]],
    ['truncated', (client) => client.ws.send(Buffer.from([0x22, 0x7f, 0x0a])), ['PROTOCOL', 4400]],
    ['no JSON', (client) => client.ws.send(Buffer.from([0x22, 3, 0x0a, 1, 0x7b])), ['PROTOCOL', 4400]],
    ['another message', (client) => client.send('send-text', { content: 'x' }), ['PROTOCOL', 4400]],
    [
      'another label',
      (client) => client.sendMessage({ label: 'x', type: 'client-ready' }),
      ['PROTOCOL', 4400],
    ],
    ['too big', (client) => client.send('client-ready', { x: 'x'.repeat(9000) }), ['TOO_BIG', 1009]],
  ])('%s', async (_, send, expected) => {
    const client = await openRtvi(world, mint());
    send(client);
    expect(await refusalOf(client)).toEqual(expected);
    expect(world.service.connects).toEqual([]);
  });

  test.each<[string, string, [string, number]]>([
    ['no token', '/rtvi', ['TOKEN_INVALID', 4401]],
    ['an empty token', '/rtvi?token=', ['TOKEN_INVALID', 4401]],
    ['a wrong token', '/rtvi?token=nonsense', ['TOKEN_INVALID', 4401]],
    ['a token that is too long', `/rtvi?token=${'x'.repeat(9000)}`, ['TOO_BIG', 1009]],
  ])('%s', async (_, path, expected) => {
    const client = await new RtviClient(`${world.listener.url}${path}`).opened();
    client.ready();
    expect(await refusalOf(client)).toEqual(expected);
  });

  test.each<[string, [number, string], [string, number]]>([
    ['already connected', [409, 'SESSION_ALREADY_CONNECTED'], ['TOKEN_USED', 4409]],
    ['ended', [410, 'SESSION_ENDED'], ['SESSION_ENDED', 4410]],
    ['too many', [429, 'CONCURRENCY_LIMIT'], ['TOO_MANY_SESSIONS', 4431]],
    ['service fails', [500, 'INTERNAL'], ['FAULT', 1011]],
  ])('%s', async (_, refusal, expected) => {
    const client = await openRtvi(world, world.service.mint({ refusal }).token);
    client.ready();
    expect(await refusalOf(client)).toEqual(expected);
  });

  test('the origin of the token must be that of the page', async () => {
    const { token } = world.service.mint({ origin: 'https://page.example' });
    const client = await openRtvi(world, token, { origin: 'https://other.example' });
    client.ready();
    expect(await refusalOf(client)).toEqual(['ORIGIN_DIFFERS', 4403]);
    const own = await joinRtvi(world, { origin: 'https://page.example' });
    expect(own.story).toContain('bot-ready');
  });

  test('without client-ready the socket is closed after five seconds, even if it sends audio', async () => {
    const client = await openRtvi(world, mint());
    client.sendAudio(loud(100));
    expect(await refusalOf(client)).toEqual(['PROTOCOL', 4408]);
  });

  test('strangers are limited per network, and the oldest gives way', async () => {
    const token = mint();
    const first = await openRtvi(world, token, { address: '203.0.113.7' });
    for (let i = 0; i < bounds.socketsBeforeHelloPerNetwork; i++)
      await openRtvi(world, token, { address: '203.0.113.7' });
    expect(await refusalOf(first)).toEqual(['FULL', 1013]);
  });
});

describe('errors during the session', () => {
  test.each<[string, (client: RtviClient) => void, [string, number]]>([
    ['text frame', (client) => client.ws.send('{}'), ['PROTOCOL', 4400]],
    ['no protobuf', (client) => client.ws.send(Buffer.from([7])), ['PROTOCOL', 4400]],
    [
      'too many frames',
      (client) => {
        for (let i = 0; i < 700; i++) client.send('ui-event', {});
      },
      ['TOO_FAST', 4429],
    ],
    [
      'too many texts',
      (client) => {
        for (let i = 0; i < 11; i++) client.send('send-text', { content: 'ferry' });
      },
      ['TOO_FAST', 4429],
    ],
  ])('%s: one fatal error, a close code, and the session ends', async (_, send, expected) => {
    const client = await joinRtvi(world, { mind: harbor });
    send(client);
    expect(await refusalOf(client)).toEqual(expected);
    expect(await lastReport()).toMatchObject({ ended: 'client_lost' });
  });

  test.each([
    ['recognises', scriptedHearing([])],
    ['does not recognise', 'page' as const],
  ])('sound faster than real time closes with 4429 if the runtime %s speech', async (_, hearing) => {
    await another({ engines: { hearing } });
    const client = await joinRtvi(world, { mind: harbor });
    for (let i = 0; i < 20; i++) client.sendAudio(quiet(1000));
    expect(await refusalOf(client)).toEqual(['TOO_FAST', 4429]);
  });

  test('a frame of more than 64 KiB closes with 1009', async () => {
    const client = await joinRtvi(world, { mind: harbor });
    client.sendAudio(quiet(3000));
    expect((await client.closed).code).toBe(1009);
    expect(await lastReport()).toMatchObject({ ended: 'client_lost' });
  });

  test('invalid fields are answered without closing and quote no text; unsupported messages are ignored', async () => {
    const client = await joinRtvi(world, { mind: harbor });
    const ids = [
      client.send('send-text', { content: { secret: 'planted words' } }),
      client.send('send-text', { content: 'x'.repeat(4001) }),
      client.send('send-text', undefined),
      client.send('client-message', { t: 'planted words' }),
    ];
    for (const type of ['ui-event', 'append-to-context', 'dtmf', 'dance', 'client-ready']) client.send(type);
    client.sendMessage({ label: 'another protocol', type: 'send-text', data: { content: 'planted words' } });
    client.sendMessage(['planted words']);
    client.sendAudio(quiet(100), 4000);
    client.sendAudio(quiet(100), 16_000, 3);
    const error = await client.message('error');
    expect(error.data).toMatchObject({ code: 'INVALID_MESSAGE', fatal: false, error: error.data.message });
    const responses = client.messages.filter(({ type }) => type === 'error-response');
    expect(responses.map(({ id }) => id)).toEqual(ids);
    for (const { data } of responses) expect(data.error).toBe(data.message);
    expect(JSON.stringify(client.messages)).not.toContain('planted');
    const from = client.messages.length;
    client.send('send-text', { content: 'ferry' });
    await client.message('bot-llm-text', ({ data }) => data.text === 'At every full hour.', from);
  });

  test('an engine failure is one error that is not fatal, and the session goes on', async () => {
    let fails = 1;
    const speech = instantSpeech();
    const { speak } = speech;
    speech.speak = async (...all) => {
      if (fails-- > 0) throw new Error('broken');
      return speak.apply(speech, all);
    };
    await another({ engines: { speech } });
    const client = await joinRtvi(world, { mind: harbor });
    const { data } = await client.message('error');
    expect(data).toMatchObject({ code: 'SPEECH_FAILED', fatal: false, error: data.message });
    const from = client.messages.length;
    client.send('send-text', { content: 'ferry' });
    await client.message('bot-tts-stopped', undefined, from);
  });
});

test('the token appears in no log line and no metric, also when it is refused', async () => {
  await another({ logLevel: 'trace' });
  const ok = await joinRtvi(world, { mind: harbor });
  const { token } = world.service.mint({ refusal: [500, 'INTERNAL'] });
  const refused = await openRtvi(world, token);
  refused.ready();
  await refused.closed;
  const broken = await openRtvi(world, 'a-planted-token');
  broken.ws.send('nonsense');
  await broken.closed;
  ok.send('disconnect-bot');
  await ok.closed;
  const places = world.log.join('\n') + (await world.runtime.metrics());
  expect(places).toContain(ok.sessionId);
  for (const secret of [token, 'a-planted-token', 'token=']) expect(places).not.toContain(secret);
});

test('an unknown path below the runtime is refused', async () => {
  const client = new RtviClient(`${world.listener.url}/rtvi/more?token=x`);
  expect((await client.closed).code).toBe(1006);
});
