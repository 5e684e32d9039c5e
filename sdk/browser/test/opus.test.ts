import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Frames, type Opus, openOpus } from '../src/opus.ts';

const packetSamples = 960;
const preSkip = 104;
const output = { sampleRate: 16_000, preSkip };

/** Decodes each packet to 20 ms at 48 kHz, with its first byte as the value of all samples, once `flushed` resolves. */
class FakeDecoder {
  static flushed = Promise.resolve();
  static isConfigSupported = async () => ({ supported: true });
  state = 'unconfigured';
  readonly #calls: { output(data: unknown): void; error(): void };
  #waiting: number[] = [];

  constructor(calls: { output(data: unknown): void; error(): void }) {
    this.#calls = calls;
  }

  configure(): void {
    this.state = 'configured';
  }

  decode({ data }: { data: Uint8Array }): void {
    if (data[0] === 255) this.#calls.error();
    else this.#waiting.push(data[0]!);
  }

  async flush(): Promise<void> {
    await FakeDecoder.flushed;
    if (this.state === 'closed') throw new Error('closed');
    for (const value of this.#waiting.splice(0))
      this.#calls.output({
        numberOfFrames: packetSamples,
        copyTo: (samples: Float32Array) => samples.fill(value / 100),
        close: () => {},
      });
  }

  close(): void {
    this.state = 'closed';
  }
}

/** Encodes each push of 40 ms to two packets with the number of the push, or fails. */
class FakeEncoder {
  static fails = false;
  static isConfigSupported = async () => ({ supported: true });
  state = 'configured';
  readonly #calls: { output(chunk: unknown): void; error(): void };
  #pushes = 0;

  constructor(calls: { output(chunk: unknown): void; error(): void }) {
    this.#calls = calls;
  }

  configure(): void {}

  encode(): void {
    if (FakeEncoder.fails) {
      this.#calls.error();
      return;
    }
    const value = ++this.#pushes;
    const chunk = { byteLength: 3, copyTo: (bytes: Uint8Array) => bytes.fill(value) };
    for (let i = 0; i < 2; i++) this.#calls.output(chunk);
  }

  close(): void {
    this.state = 'closed';
  }
}

let opus: Opus;
let played: { id: number; isLast: boolean; samples: Int16Array }[];
let sent: Uint8Array[];
let frames: Frames;
beforeEach(async () => {
  FakeDecoder.flushed = Promise.resolve();
  FakeEncoder.fails = false;
  class Data {
    close() {}
  }
  class Chunk {
    readonly data: Uint8Array;
    constructor({ data }: { data: Uint8Array }) {
      this.data = data;
    }
  }
  vi.stubGlobal('AudioDecoder', FakeDecoder);
  vi.stubGlobal('AudioEncoder', FakeEncoder);
  vi.stubGlobal('EncodedAudioChunk', Chunk);
  vi.stubGlobal('AudioData', Data);
  [played, sent] = [[], []];
  opus = (await openOpus())!;
  frames = opus.translated(
    { output, input: { format: 'opus' } },
    {
      play: (frame) => {
        const view = new DataView(frame);
        const [id, isLast] = [view.getUint16(2, true), (view.getUint8(1) & 1) === 1];
        played.push({ id, isLast, samples: new Int16Array(frame.slice(8)) });
      },
      send: (frame) => sent.push(new Uint8Array(frame)),
    },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function frame(id: number, offset: number, packets: number[][], isLast = false): ArrayBuffer {
  const body = packets.flatMap((packet) => [packet.length & 255, packet.length >> 8, ...packet]);
  const bytes = new Uint8Array([1, isLast ? 3 : 2, id, 0, 0, 0, 0, 0, ...body]);
  new DataView(bytes.buffer).setUint32(4, offset, true);
  return bytes.buffer;
}
const heard = (of: number) => played.filter(({ id }) => id === of).flatMap(({ samples }) => [...samples]);
const ended = (of: number) => played.some(({ id, isLast }) => id === of && isLast);

test('the delay of the codec is dropped, and the sound is cut at the end of the utterance', async () => {
  frames.play(frame(1, 0, [[10], [20]]));
  frames.play(frame(1, 700, [], true));
  await vi.waitFor(() => expect(ended(1)).toBe(true));
  const samples = heard(1);
  // The utterance claims more than was sent: what there is, is played.
  expect(samples.length).toBe(2 * packetSamples - preSkip * 3);
  expect(samples.filter((sample) => sample === Math.round(0.1 * 32_767)).length).toBe(
    packetSamples - preSkip * 3,
  );
});

test('an end inside the last packet cuts the padding', async () => {
  frames.play(frame(1, 0, [[10], [20]]));
  frames.play(frame(1, 400, [], true));
  await vi.waitFor(() => expect(ended(1)).toBe(true));
  expect(heard(1).length).toBe(1200);
});

test('an utterance that is still being decoded is played before the next one', async () => {
  let flush = () => {};
  FakeDecoder.flushed = new Promise((resolve) => {
    flush = resolve;
  });
  frames.play(frame(1, 0, [[10], [20]]));
  frames.play(frame(1, 400, [], true));
  FakeDecoder.flushed = Promise.resolve();
  frames.play(frame(2, 0, [[30], [40]]));
  frames.play(frame(2, 400, [], true));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(played).toEqual([]);
  flush();
  await vi.waitFor(() => expect(ended(2)).toBe(true));
  expect([...new Set(played.map(({ id }) => id))]).toEqual([1, 2]);
});

test('an interrupted utterance does not delay the next one', async () => {
  frames.play(frame(1, 0, [[10], [20]]));
  frames.play(frame(2, 0, [[30], [40]]));
  frames.play(frame(2, 400, [], true));
  await vi.waitFor(() => expect(ended(2)).toBe(true));
  expect(ended(1)).toBe(false);
});

test.each([
  ['a packet that cannot be decoded', [[255]]],
  ['a length beyond the frame', undefined],
])('%s ends the utterance, and the next one is played', async (_what, packets) => {
  const bad = new Uint8Array(frame(1, 0, packets ?? [[1]]));
  if (packets === undefined) bad[8] = 200;
  frames.play(bad.buffer as ArrayBuffer);
  frames.play(frame(1, 320, [[10], [20]]));
  await vi.waitFor(() => expect(ended(1)).toBe(true));
  expect(played.filter(({ isLast }) => isLast).length).toBe(1);
  frames.play(frame(2, 0, [[30], [40]]));
  frames.play(frame(2, 400, [], true));
  await vi.waitFor(() => expect(ended(2)).toBe(true));
});

test('frames of PCM are played as they are', () => {
  frames.play(new Uint8Array([1, 1, 7, 0, 0, 0, 0, 0, 1, 2]).buffer);
  expect(played).toEqual([{ id: 7, isLast: true, samples: Int16Array.of(513) }]);
});

function microphone(offset: number): ArrayBuffer {
  const pcm = new DataView(new ArrayBuffer(8 + 1280));
  pcm.setUint8(0, 2);
  pcm.setUint32(4, offset, true);
  return pcm.buffer;
}

test('the microphone is sent as frames of two packets, from the start whenever it is turned on', () => {
  for (const offset of [0, 640, 0]) frames.send(microphone(offset));
  expect(sent.map((bytes) => [...bytes])).toEqual([
    [2, 2, 0, 0, 0, 0, 0, 0, 3, 0, 1, 1, 1, 3, 0, 1, 1, 1],
    [2, 2, 0, 0, 128, 2, 0, 0, 3, 0, 2, 2, 2, 3, 0, 2, 2, 2],
    [2, 2, 0, 0, 0, 0, 0, 0, 3, 0, 1, 1, 1, 3, 0, 1, 1, 1],
  ]);
});

test('after a failure of the encoder, the microphone is sent as PCM', () => {
  FakeEncoder.fails = true;
  for (const offset of [0, 640]) frames.send(microphone(offset));
  expect(sent.map(({ length }) => length)).toEqual([1288]);
});

test('a browser without Opus gets no translation', async () => {
  vi.stubGlobal('AudioDecoder', undefined);
  vi.stubGlobal('AudioEncoder', { isConfigSupported: async () => ({ supported: false }) });
  expect(await openOpus()).toBeUndefined();
});
