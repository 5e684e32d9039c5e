const sampleRate = 16_000;

let context: AudioContext | undefined;

/** Plays a sample: mono, 16 kHz, 8-bit mu-law. Resolves when it has been played. */
export async function play(encoded: Uint8Array): Promise<void> {
  context ??= new AudioContext();
  await context.resume();
  const buffer = context.createBuffer(1, encoded.length, sampleRate);
  buffer.copyToChannel(Float32Array.from(encoded, decoded), 0);
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
