import { ProtobufFrameSerializer } from '@pipecat-ai/websocket-transport';
import { describe, expect, test } from 'vitest';
import type { ConnectionCalls, SessionConnection } from '../../src/sockets/connection.ts';
import { BotMessages } from '../../src/sockets/rtvi/bot-messages.ts';
import { messageFrame, readFrame, soundFrame } from '../../src/sockets/rtvi/frames.ts';
import { type Chunk, maxAheadMs, Playout } from '../../src/sockets/rtvi/playout.ts';
import { Resampler } from '../../src/sockets/rtvi/resampler.ts';
import { RtviConnection } from '../../src/sockets/rtvi/rtvi-connection.ts';
import { FakeClock } from '../harness/fake-clock.ts';
import { pcmFrame } from '../harness/pcm-frame.ts';

const pipecat = new ProtobufFrameSerializer();
const lengths = [0, 1, 127, 128, 16_383, 16_384, 60_000];

describe('frames', () => {
  test.each(lengths)('messages of %i characters are those of Pipecat in both directions', async (length) => {
    const message = { id: 'a', label: 'rtvi-ai', type: 'x', data: 'é'.repeat(length) };
    const json = JSON.stringify(message);
    expect(readFrame(pipecat.serializeMessage(message))).toEqual({ kind: 'message', json });
    expect(Buffer.compare(messageFrame(json), pipecat.serializeMessage(message))).toBe(0);
  });

  test.each(lengths)('audio of %i samples is that of Pipecat in both directions', async (length) => {
    const samples = Int16Array.from({ length }, (_, i) => i - 30_000);
    const read = readFrame(pipecat.serializeAudio(samples.buffer, 48_000, 2));
    expect(read).toMatchObject({ kind: 'audio', sampleRate: 48_000, channels: 2 });
    expect(Buffer.compare((read as { pcm: Uint8Array }).pcm, Buffer.from(samples.buffer))).toBe(0);
    const back = await pipecat.deserialize(new Blob([new Uint8Array(soundFrame(samples, 24_000))]));
    expect(back.type).toBe('audio');
    expect(
      Buffer.compare(Buffer.from((back as { audio: Int16Array }).audio.buffer), Buffer.from(samples.buffer)),
    ).toBe(0);
  });

  test('other frame types and unknown fields are accepted', () => {
    expect(readFrame(new Uint8Array())).toEqual({ kind: 'other' });
    expect(readFrame(Uint8Array.of(0x0a, 2, 0x1a, 0))).toEqual({ kind: 'other' });
    const unknown = [0x78, 1, 0x7d, 0, 0, 0, 0, 0x79, 0, 0, 0, 0, 0, 0, 0, 0];
    expect(readFrame(Uint8Array.of(...unknown, 0x22, 3, 0x0a, 1, 0x7b))).toEqual({
      kind: 'message',
      json: '{',
    });
  });

  test.each([
    ['field 0', [0x02, 0]],
    ['a group', [0x23]],
    ['a length beyond the end', [0x22, 9, 0]],
    ['a varint of eleven bytes', [0x20, ...Array(10).fill(0xff), 1]],
    ['a varint that ends early', [0x20, 0x80]],
    ['fixed bytes that end early', [0x21, 0]],
    ['a message that is a number', [0x20, 1]],
    ['text that is a number', [0x22, 2, 0x08, 1]],
    ['samples that are a number', [0x12, 2, 0x18, 1]],
    ['a rate that is bytes', [0x12, 2, 0x22, 0]],
    ['a broken message', [0x22, 1, 0x0a]],
  ])('%s is malformed', (_, bytes) => {
    expect(readFrame(Uint8Array.from(bytes))).toBeUndefined();
  });

  test('random bytes never throw', () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (let i = 0; i < 20_000; i++) {
      const bytes = Uint8Array.from({ length: random() % 40 }, () => random() % 256);
      if (bytes.length > 0 && i % 2 === 0) bytes[0] = i % 4 === 0 ? 0x22 : 0x12;
      readFrame(bytes);
    }
  });
});

test('a resampled stream does not depend on how it is cut into chunks', () => {
  const samples = Int16Array.from({ length: 4801 }, (_, i) => Math.round(9000 * Math.sin(i / 9)));
  for (const [from, to] of [
    [16_000, 24_000],
    [44_100, 16_000],
    [48_000, 16_000],
    [22_050, 24_000],
  ] as const) {
    const whole = new Resampler(from, to).push(samples);
    const stream = new Resampler(from, to);
    const parts: number[] = [];
    for (let at = 0, size = 1; at < samples.length; at += size++)
      parts.push(...stream.push(samples.subarray(at, at + size)));
    expect(parts.length).toBe(whole.length);
    expect(Math.max(...parts.map((sample, i) => Math.abs(sample - whole[i]!)))).toBeLessThanOrEqual(1);
    expect(whole.length).toBeCloseTo((samples.length * to) / from, -1);
  }
});

/** A playout that records what it sends and reports, with the time of each. */
function playout() {
  const clock = new FakeClock();
  const sent: number[] = [];
  const played: [utterance: number, ms: number, isDone: boolean, at: number][] = [];
  const state = { unsent: 0 };
  const out = new Playout({
    clock,
    send: () => sent.push(clock.now()),
    unsent: () => state.unsent,
    played: (utterance, ms, isDone) => played.push([utterance, ms, isDone, clock.now()]),
  });
  const add = (utterance: number, count: number) => {
    for (let i = 1; i <= count; i++)
      out.add({ utterance, samples: new Int16Array(1), endMs: i * 40, durationMs: 40, isLast: i === count });
  };
  return { clock, sent, played, state, out, add };
}

describe('playout', () => {
  test('sends at most 200 ms ahead, at the speed of playback', async () => {
    const { clock, sent, add } = playout();
    add(1, 50);
    const start = clock.now();
    for (let ms = 0; ms < 2500; ms += 20) {
      expect(sent.length * 40).toBeLessThanOrEqual(clock.now() - start + maxAheadMs);
      if (sent.length < 50) expect(sent.length * 40).toBeGreaterThan(clock.now() - start + maxAheadMs - 60);
      await clock.pass(20);
    }
    expect(sent.length).toBe(50);
    expect(clock.pending).toBe(0);
  });

  test('reports each frame when it has been played, and the last one as done', async () => {
    const { clock, played, add } = playout();
    const start = clock.now();
    add(7, 10);
    await clock.pass(1000);
    expect(played.map(([utterance, ms, isDone, at]) => [utterance, ms, isDone, at - start])).toEqual(
      Array.from({ length: 10 }, (_, i) => [7, (i + 1) * 40, i === 9, (i + 1) * 40]),
    );
  });

  test('a call waits until the audio before it has been played', async () => {
    const { clock, out, add } = playout();
    const start = clock.now();
    add(1, 10);
    let at = 0;
    out.begin(() => {
      at = clock.now() - start;
    });
    await clock.pass(1000);
    expect(at).toBe(400);
  });

  test('after a clear nothing more is sent or reported', async () => {
    const { clock, sent, played, out, add } = playout();
    add(1, 10);
    const before = sent.length;
    out.clear();
    await clock.pass(1000);
    expect([sent.length, played.length, clock.pending]).toEqual([before, 0, 0]);
  });

  test('an utterance that is added at once after a clear is sent to its end', async () => {
    const { clock, played, out, add } = playout();
    add(1, 10);
    out.clear();
    out.begin(() => {});
    add(2, 10);
    await clock.pass(1000);
    expect(played.at(-1)?.slice(0, 3)).toEqual([2, 400, true]);
    expect(clock.pending).toBe(0);
  });

  test('audio waits for a client that does not read, and is then not sent all at once', async () => {
    const { clock, sent, state, add } = playout();
    state.unsent = 100_000;
    add(1, 50);
    await clock.pass(5000);
    expect(sent).toEqual([]);
    state.unsent = 0;
    await clock.pass(40);
    expect(sent.length).toBe(5);
  });

  test('items that are added while a report is made keep their order', async () => {
    const clock = new FakeClock();
    const order: number[] = [];
    const chunk = (utterance: number): Chunk => ({
      ...{ utterance, samples: new Int16Array(1), endMs: 40, durationMs: 40, isLast: true },
    });
    const out: Playout = new Playout({
      clock,
      send: () => {},
      unsent: () => 0,
      played: (utterance) => {
        order.push(utterance);
        if (utterance < 4) out.add(chunk(utterance + 2));
      },
    });
    out.add(chunk(1));
    out.add(chunk(2));
    await clock.pass(1000);
    expect(order).toEqual([1, 2, 3, 4, 5]);
    expect(clock.pending).toBe(0);
  });
});

test('speech that arrives while it is spoken: its text and mouth shapes follow, and its pace does not stop', async () => {
  const clock = new FakeClock();
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
  const sent: { type: string; data?: any; at: number }[] = [];
  const heard: string[] = [];
  let calls: ConnectionCalls | undefined;
  const connection: SessionConnection = {
    ...{
      unsent: 0,
      sendText: () => {},
      close: () => {},
      refuse: () => {},
      pause: () => {},
      resume: () => {},
      destroy: () => {},
    },
    listen: (given) => {
      calls = given;
    },
    sendAudio: (bytes) => {
      const frame = readFrame(bytes);
      const at = clock.now();
      if (frame?.kind === 'audio') sent.push({ type: 'audio', at });
      if (frame?.kind === 'message') sent.push({ ...JSON.parse(frame.json), at });
    },
  };
  const rtvi = new RtviConnection({ connection, clock, token: 'token' });
  rtvi.listen({ text: (json) => heard.push(json), audio: () => {}, closed: () => {} });
  calls!.audio(pipecat.serializeMessage({ id: 'a', label: 'rtvi-ai', type: 'client-ready', data: {} }));
  let seq = 0;
  const event = (fields: object) => rtvi.sendText(JSON.stringify({ ...fields, seq: ++seq }));
  const message = (text: string, status = 'partial') =>
    event({ type: 'message', id: 'm', role: 'character', status, text });
  const audio = (frames: number, from: number) => {
    for (let i = 0; i < frames; i++)
      rtvi.sendAudio(pcmFrame(1, (from + i) * 960, new Int16Array(960), false));
  };
  message('They');
  event({ type: 'utterance', utterance: 1, messageId: 'm', text: 'They', speech: 'server' });
  event({ type: 'cues', utterance: 1, cues: [[0, 'DD']], words: [[0, 0, 4]], more: true });
  audio(10, 0);
  message('They leave at noon.');
  event({
    type: 'cues',
    utterance: 1,
    cues: [[400, 'nn']],
    words: [
      [400, 5, 10],
      [600, 11, 13],
      [700, 14, 18],
    ],
  });
  audio(10, 10);
  rtvi.sendAudio(pcmFrame(1, 20 * 960, new Int16Array(0), true));
  const start = clock.now();
  await clock.pass(2000);
  const times = sent.filter(({ type }) => type === 'audio').map(({ at }) => at - start);
  expect(times).toEqual([0, 0, 0, 0, 0, ...Array.from({ length: 15 }, (_, i) => (i + 1) * 40)]);
  const data = (type: string) => sent.filter((one) => one.type === type).map((one) => one.data);
  expect(data('bot-tts-text').map(({ text }) => text)).toEqual(['They', 'leave', 'at', 'noon.']);
  expect(data('server-message').map(({ cues }) => cues)).toEqual([[[0, 'DD']], [[400, 'nn']]]);
  expect(data('bot-output').at(-1)).toMatchObject({
    text: 'They leave at noon.',
    spoken_status: 'completed',
  });
  expect(data('bot-tts-stopped').length).toBe(1);
  expect(JSON.parse(heard.at(-1)!)).toEqual({ type: 'played', utterance: 1, ms: 800, done: true });
  expect(clock.pending).toBe(0);
});

test('calls of tools are function calls of RTVI, each with an id, without arguments and results', () => {
  const messages = new BotMessages('1');
  const tool = (name: string, status: 'running' | 'done' | 'failed') =>
    messages.of({ type: 'tool', seq: 1, name, status }).map(({ type, data }) => [type, data]);
  const started = (function_name: string, tool_call_id: string) => [
    ['llm-function-call-started', { function_name }],
    ['llm-function-call-in-progress', { function_name, tool_call_id }],
  ];
  expect(tool('a', 'running')).toEqual(started('a', 'call_1'));
  expect(tool('b', 'running')).toEqual(started('b', 'call_2'));
  expect(tool('a', 'running')).toEqual(started('a', 'call_3'));
  const stopped = (function_name: string, tool_call_id: string) => [
    ['llm-function-call-stopped', { function_name, tool_call_id, cancelled: false }],
  ];
  expect(tool('a', 'done')).toEqual(stopped('a', 'call_1'));
  expect(tool('a', 'failed')).toEqual(stopped('a', 'call_3'));
  expect(tool('b', 'done')).toEqual(stopped('b', 'call_2'));
});
