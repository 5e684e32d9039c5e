import { tuned } from './tune.ts';

const sampleRate = 16_000;

let context: AudioContext | undefined;

interface Playing {
  /** Factors of the pitch and of the speed. */
  pitch: number;
  rate: number;
  /** Called when the sound starts, with a clock of the position in the unchanged sample in milliseconds: NaN after the end. */
  onStart?: (clock: () => number) => void;
  signal?: AbortSignal;
}

/** Plays a sample: mono, 16 kHz, 8-bit mu-law. Resolves when it has been played, or stopped by the signal. */
export async function play(encoded: Uint8Array, { pitch, rate, onStart, signal }: Playing): Promise<void> {
  context ??= new AudioContext();
  await context.resume();
  if (signal?.aborted) return;
  const samples = tuned(Float32Array.from(encoded, decoded), pitch, rate);
  const buffer = context.createBuffer(1, samples.length, sampleRate);
  buffer.copyToChannel(samples, 0);
  const source = new AudioBufferSourceNode(context, { buffer });
  source.connect(context.destination);
  let isOver = false;
  const ended = new Promise((resolve) => source.addEventListener('ended', resolve, { once: true }));
  signal?.addEventListener('abort', () => source.stop(), { once: true });
  source.start();
  const startedAt = context.currentTime + (context.outputLatency || context.baseLatency);
  onStart?.(() => (isOver ? Number.NaN : (context!.currentTime - startedAt) * 1000 * rate));
  await ended;
  isOver = true;
}

/** Decodes a G.711 mu-law byte to a sample from -1 to 1. */
export function decoded(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = (((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4);
  return ((bits & 0x80 ? -1 : 1) * (magnitude - 0x84)) / 32_768;
}
