import { tuned } from './tune.ts';

const sampleRate = 16_000;

let context: AudioContext | undefined;

/** Plays a sample: mono, 16 kHz, 8-bit mu-law. `pitch` and `rate` are factors. Resolves when it has been played. */
export async function play(encoded: Uint8Array, pitch: number, rate: number): Promise<void> {
  context ??= new AudioContext();
  await context.resume();
  const samples = tuned(Float32Array.from(encoded, decoded), pitch, rate);
  const buffer = context.createBuffer(1, samples.length, sampleRate);
  buffer.copyToChannel(samples, 0);
  const source = new AudioBufferSourceNode(context, { buffer });
  source.connect(context.destination);
  const ended = new Promise((resolve) => source.addEventListener('ended', resolve, { once: true }));
  source.start();
  await ended;
}

/** Decodes a G.711 mu-law byte to a sample from -1 to 1. */
export function decoded(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = (((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4);
  return ((bits & 0x80 ? -1 : 1) * (magnitude - 0x84)) / 32_768;
}
