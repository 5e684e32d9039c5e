import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OpusCodec } from '../../src/opus/codec.ts';
import { predict } from '../../src/speech/speech-timing.ts';
import type { Client } from '../harness/client.ts';
import { instantSpeech, scriptedHearing } from '../harness/engines.ts';
import { startWorld, type World, type WorldOptions } from '../harness/world.ts';
import { alignment, decoded, packetsIn, sweep, userFrame, userFrames } from '../opus/opus.ts';

let codec: OpusCodec;
beforeAll(async () => {
  codec = await OpusCodec.open();
});
afterAll(() => codec.close());

let world: World;
afterEach(() => world.close());

/** Sentences that are sweeps of a fitting length. */
const audible = () =>
  instantSpeech({
    speak: async ({ text }) => {
      const { cues, words } = predict(text);
      return { audio: voice, durationMs: voice.length / 16, source: 'engine', cues, words };
    },
  });
const voice = sweep(2.1, 16_000);

const start = async (options: WorldOptions = {}) => {
  world = await startWorld({ codec, engines: { speech: audible() }, ...options });
  return world;
};
const both = { output: ['opus', 'pcm16'], input: ['opus', 'pcm16'] };
const mind = { greeting: { en: 'Good morning.' }, fallback: { en: 'At noon.' } };
const isOpus = (frame: Buffer) => (frame.readUInt8(1) & 2) !== 0;
const of = (utterance: number) => (frame: Buffer) => frame.readUInt16LE(2) === utterance;

async function resume(client: Client, audio?: object): Promise<Client> {
  const { resumeTicket } = client.events.findLast(({ type }) => type === 'ready') as { resumeTicket: string };
  const again = await world.client();
  again.hello({
    resume: { ticket: resumeTicket, lastSeq: client.events.at(-1)!.seq },
    ...(audio && { audio }),
  });
  await again.event('ready');
  return again;
}

/** The audio of an utterance, decoded as the protocol describes. */
async function heard(client: Client, utterance: number): Promise<Int16Array> {
  const frames = client.frames.filter(of(utterance));
  const last = frames.at(-1)!;
  expect(last.readUInt8(1)).toBe(3);
  expect(last.length).toBe(8);
  const { preSkip } = (await client.event('ready')).audio.output;
  const samples = last.readUInt32LE(4);
  return decoded(frames.flatMap(packetsIn), { sampleRate: 16_000, preSkip: preSkip!, samples });
}

test.each([
  [undefined, 'pcm16', 'pcm16'],
  [{}, 'pcm16', 'pcm16'],
  [both, 'opus', 'opus'],
  [{ output: ['pcm16', 'opus'], input: ['flac', 'opus'] }, 'pcm16', 'opus'],
  [{ output: ['flac'] }, 'pcm16', 'pcm16'],
])('a client that offers %j gets %s and sends %s', async (audio, output, input) => {
  const { join } = await start();
  const client = await join({ mind, ...(audio === undefined ? {} : { audio }) });
  const ready = await client.event('ready');
  expect(ready.audio).toEqual({
    input: { format: input, sampleRate: 16_000 },
    output: { format: output, sampleRate: 16_000, ...(output === 'opus' ? { preSkip: 104 } : {}) },
  });
  await client.event('utterance.end');
  expect(new Set(client.frames.map(isOpus))).toEqual(new Set([output === 'opus']));
});

test('without a codec, everything is PCM', async () => {
  world = await startWorld();
  const client = await world.join({ mind, audio: both });
  expect((await client.event('ready')).audio.output.format).toBe('pcm16');
});

test('a sentence as Opus has the length, the position and the timings of PCM, in a tenth of the bytes', async () => {
  const { join } = await start();
  const [pcm, opus] = await Promise.all([join({ mind }), join({ mind, audio: both })]);
  const [{ utterance }] = await Promise.all([opus.event('utterance.end'), pcm.event('utterance.end')]);
  const audio = await heard(opus, utterance);
  expect(audio.length).toBe(voice.length);
  expect(Math.abs(alignment(voice, audio).shift)).toBeLessThanOrEqual(1);
  const offsets = opus.frames.map((frame) => frame.readUInt32LE(4));
  expect(offsets.slice(0, 3)).toEqual([0, 640 - 104, 1280 - 104]);
  const timing = ({ events }: Client) =>
    events.flatMap((event) =>
      event.type === 'cues' || event.type === 'utterance.end' ? [{ ...event, seq: 0 }] : [],
    );
  expect(timing(opus)).toEqual(timing(pcm));
  const bytes = ({ frames }: Client) => frames.reduce((sum, { length }) => sum + length, 0);
  expect(bytes(opus)).toBeLessThan(bytes(pcm) / 8);
});

test('connections of one session may use different formats one after the other', async () => {
  const { join } = await start();
  let client: Client = await join({ mind, audio: both });
  await client.event('mode', ({ mode }) => mode === 'listening');
  for (const [audio, expected] of [
    [undefined, false],
    [both, true],
    [{ output: ['pcm16'] }, false],
  ] as const) {
    client.ws.terminate();
    client = await resume(client, audio);
    expect((await client.event('ready')).audio.output.format).toBe(expected ? 'opus' : 'pcm16');
    expect(await client.ask('When?')).toBe('At noon.');
    expect(new Set(client.frames.map(isOpus))).toEqual(new Set([expected]));
  }
});

test('an interruption ends the utterance: no frame of it follows', async () => {
  const { join } = await start();
  const client = await join({ mind, audio: both, plays: false });
  const { utterance } = await client.event('utterance');
  await expect.poll(() => client.frames.length).toBeGreaterThan(10);
  client.send({ type: 'interrupt' });
  const { durationMs } = await client.event('utterance.end', ({ reason }) => reason === 'interrupted');
  const { length } = client.frames;
  expect(durationMs).toBeLessThan(1600);
  client.send({ type: 'text', id: 'next', text: 'When?' });
  await client.event('utterance', (next) => next.utterance !== utterance);
  await expect.poll(() => client.frames.length).toBeGreaterThan(length);
  expect(client.frames.slice(length).filter(of(utterance))).toEqual([]);
});

test('at most 1.5 seconds are sent ahead of playback', async () => {
  const { join } = await start();
  const client = await join({ mind, audio: both, plays: false });
  await expect.poll(() => client.frames.length).toBeGreaterThan(30);
  await client.handled();
  expect(client.frames.at(-1)!.readUInt32LE(4) / 16 + 40).toBeLessThanOrEqual(1500);
});

describe('the user’s audio', () => {
  const listening = async () => {
    const hearing = scriptedHearing(['When?', 'When?']);
    const { join } = await start({ engines: { speech: audible(), hearing } });
    const client = await join({ mind, audio: both, speechInputMode: 'manual' });
    await client.event('mode', ({ mode }) => mode === 'listening');
    return { client, hearing };
  };

  test('is decoded, in order with the presses of the button', async () => {
    const { client, hearing } = await listening();
    client.send({ type: 'audio.start' });
    for (const frame of await userFrames(sweep(1.2, 16_000))) client.ws.send(frame);
    client.send({ type: 'audio.end' });
    await client.event('message', ({ role, text }) => role === 'user' && text === 'When?');
    expect(hearing.heard).toEqual([1200]);
    expect(client.story).not.toContain('error');
  });

  test('may be PCM as well', async () => {
    const { client, hearing } = await listening();
    client.send({ type: 'audio.start' });
    const pcm = sweep(0.4, 16_000);
    for (const frame of await userFrames(sweep(0.4, 16_000))) client.ws.send(frame);
    const bytes = Buffer.from(pcm.buffer);
    for (let at = 0; at < bytes.length; at += 1280)
      client.ws.send(Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]), bytes.subarray(at, at + 1280)]));
    client.send({ type: 'audio.end' });
    await client.event('message', ({ role, text }) => role === 'user' && text === 'When?');
    expect(hearing.heard).toEqual([800]);
  });

  test('that is hostile is refused frame by frame, and later audio is transcribed', async () => {
    const { client, hearing } = await listening();
    const good = await userFrames(sweep(0.8, 16_000));
    const [long] = await userFrames(sweep(0.2, 16_000), 60);
    const hostile = [
      userFrame([]),
      userFrame([new Uint8Array(0)]),
      userFrame([Uint8Array.of(0x41, 1, 2, 3)]),
      userFrame([new Uint8Array(1276).fill(0x48)]),
      userFrame(Array.from({ length: 6 }, () => Uint8Array.of(0x48))),
      Buffer.concat([good[0]!, Buffer.from([255])]),
      good[0]!.subarray(0, 20),
      long!,
    ];
    client.send({ type: 'audio.start' });
    for (const frame of hostile) client.ws.send(frame);
    for (const frame of good) client.ws.send(frame);
    client.send({ type: 'audio.end' });
    await client.event('message', ({ role, text }) => role === 'user' && text === 'When?');
    const errors = client.events.flatMap((event) => (event.type === 'error' ? [event] : []));
    expect(errors.map(({ code, fatal, re }) => [code, fatal, re])).toEqual(
      hostile.map(() => ['INVALID_MESSAGE', false, 'audio']),
    );
    expect(hearing.heard).toEqual([800]);
  });

  test('is refused without a codec', async () => {
    world = await startWorld({ engines: { hearing: scriptedHearing([]) } });
    const client = await world.join({ mind, audio: both });
    client.ws.send((await userFrames(sweep(0.04, 16_000)))[0]!);
    expect((await client.event('error')).code).toBe('INVALID_MESSAGE');
  });
});
