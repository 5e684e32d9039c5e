import { Worker } from 'node:worker_threads';
import { opus } from '@session-launch/contract/runtime/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { OpusCodec } from '../../src/opus/codec.ts';
import { CodecThread } from '../../src/opus/codec-thread.ts';
import { Encoding } from '../../src/opus/encoding.ts';
import { packed, preSkip, unpacked } from '../../src/opus/packets.ts';
import { alignment, decoded, sweep, userFrames } from './opus.ts';

let codec: OpusCodec;
beforeAll(async () => {
  codec = await OpusCodec.open();
});
afterAll(() => codec.close());
afterEach(() => {
  vi.restoreAllMocks();
});

/** Resolves when the encoding has ended. */
const over = (encoding: Encoding) =>
  new Promise<Encoding['state']>((resolve) => {
    const check = () => encoding.state !== 'growing' && resolve(encoding.state);
    encoding.listen(check);
    check();
  });

describe.each([16_000, 24_000] as const)('at %i Hz', (sampleRate) => {
  test.each([0, 1, 319, 320, 3333, 32_000])(
    '%i samples are decoded at the same position, at 24 kbit/s',
    async (samples) => {
      const audio = sweep(10, sampleRate).slice(0, samples);
      const encoding = codec.sentence(audio, sampleRate);
      expect(await over(encoding)).toBe('complete');
      const { packets } = encoding;
      const lookahead = preSkip(sampleRate);
      expect(packets.length).toBe(Math.ceil((samples + lookahead) / (sampleRate / 50)));
      const heard = await decoded(packets, { sampleRate, preSkip: lookahead, samples });
      expect(heard.length).toBe(samples);
      if (samples < 10_000) return;
      const { shift, similarity } = alignment(audio, heard);
      // 0.1 ms.
      expect(Math.abs(shift)).toBeLessThanOrEqual(2);
      expect(similarity).toBeGreaterThan(0.85);
      const bits = packets.reduce((sum, { length }) => sum + length * 8, 0);
      expect(bits / (samples / sampleRate)).toBeLessThan(opus.bitsPerSecond * 1.1);
    },
  );

  test('audio that is pushed in parts gives the same packets', async () => {
    const audio = sweep(1.3, sampleRate);
    const whole = codec.sentence(audio, sampleRate);
    const parts = codec.encoding(sampleRate);
    for (let at = 0; at < audio.length; at += 777) parts.push(audio.subarray(at, at + 777));
    parts.end();
    await Promise.all([over(whole), over(parts)]);
    expect(parts.packets.map((packet) => [...packet])).toEqual(whole.packets.map((packet) => [...packet]));
  });
});

test('a sentence is encoded once for all sessions', async () => {
  const sent = vi.spyOn(Worker.prototype, 'postMessage');
  const audio = sweep(3, 16_000);
  const first = codec.sentence(audio, 16_000);
  expect(codec.sentence(audio, 16_000)).toBe(first);
  await over(first);
  const requests = sent.mock.calls.length;
  expect(codec.sentence(audio, 16_000)).toBe(first);
  expect(sent.mock.calls.length).toBe(requests);
});

test('long audio is encoded in blocks, so that a short sentence is not delayed by it', async () => {
  const long = codec.sentence(sweep(60, 16_000), 16_000);
  const short = codec.sentence(sweep(0.5, 16_000), 16_000);
  await over(short);
  expect(long.state).toBe('growing');
  expect(long.packets.length).toBeLessThan(25 * 50);
  await over(long);
});

describe('decoding', () => {
  const listening = () => {
    const heard: (Int16Array | undefined)[] = [];
    const decoder = codec.decoder((samples) => heard.push(samples));
    onTestFinished(() => decoder.close());
    return { heard, decoder };
  };
  const packetsOf = async (samples: Int16Array) =>
    (await userFrames(samples)).map((frame) => unpacked(frame.subarray(8))!);

  test('returns the samples in order, and other work after the audio before it', async () => {
    const { heard, decoder } = listening();
    const order: string[] = [];
    decoder.afterAudio(() => order.push('first'));
    const audio = sweep(0.4, 16_000);
    for (const packets of await packetsOf(audio)) decoder.push(packets);
    decoder.afterAudio(() => order.push(`after ${heard.length}`));
    await expect.poll(() => order).toEqual(['first', 'after 10']);
    const samples = heard.flatMap((part) => [...part!]);
    expect(samples.length).toBe(audio.length);
    expect(alignment(audio, Int16Array.from(samples), 120).shift).toBe(104);
  });

  test('a packet that is garbage fails alone', async () => {
    const { heard, decoder } = listening();
    const [good] = await packetsOf(sweep(0.04, 16_000));
    decoder.push([Uint8Array.of(0x41, 1, 2, 3)]);
    decoder.push(good!);
    await expect.poll(() => heard.length).toBe(2);
    expect(heard[0]).toBeUndefined();
    expect(heard[1]!.length).toBe(640);
  });
});

test('payloads that are not whole packets of 20 ms are rejected', async () => {
  const [frame] = await userFrames(sweep(0.04, 16_000));
  const payload = frame!.subarray(8);
  const packets = unpacked(payload)!;
  expect(packets.length).toBe(2);
  expect(Buffer.from(packed(packets)).equals(payload)).toBe(true);
  const [long] = await userFrames(sweep(0.2, 16_000), 60);
  const wrong = {
    empty: new Uint8Array(0),
    cut: payload.subarray(0, payload.length - 1),
    'half a length': Uint8Array.of(1),
    'an empty packet': Uint8Array.of(0, 0),
    oversized: packed([new Uint8Array(1276).fill(0x48)]),
    'packets of 60 ms': long!.subarray(8),
    'no frames': packed([Uint8Array.of(0x4b, 0)]),
  };
  for (const [name, bytes] of Object.entries(wrong))
    expect([name, unpacked(bytes)]).toEqual([name, undefined]);
});

describe('a thread that fails', () => {
  test('by hanging is replaced; its encodings fail and later ones work', async () => {
    const thread = await CodecThread.open(1);
    onTestFinished(() => thread.close());
    const encoding = new Encoding(thread, 16_000);
    encoding.push(sweep(20, 16_000));
    encoding.end();
    expect(await over(encoding)).toBe('failed');
    await expect.poll(() => thread.isReady).toBe(true);
    const heard = vi.fn();
    const id = thread.add(heard);
    thread.send({
      id,
      encode: { sampleRate: 16_000, bitrate: 24_000, packetMs: 20 },
      samples: new Int16Array(0),
    });
    await expect.poll(() => heard.mock.calls.length).toBe(1);
  });

  test('by crashing: waiting work runs, and the decoder works again afterwards', async () => {
    const workers: Worker[] = [];
    const { unref } = Worker.prototype;
    vi.spyOn(Worker.prototype, 'unref').mockImplementation(function (this: Worker) {
      workers.push(this);
      unref.call(this);
    });
    const own = await OpusCodec.open();
    onTestFinished(() => own.close());
    const heard: unknown[] = [];
    const decoder = own.decoder((samples) => heard.push(samples?.length));
    const frames = await userFrames(sweep(0.08, 16_000));
    const [first, second] = frames.map((frame) => unpacked(frame.subarray(8))!);
    void workers[0]!.terminate();
    decoder.push(first!);
    decoder.afterAudio(() => heard.push('after'));
    await expect.poll(() => heard).toContain('after');
    await expect.poll(() => own.isReady).toBe(true);
    decoder.push(second!);
    await expect.poll(() => heard.at(-1)).toBe(640);
  });
});
