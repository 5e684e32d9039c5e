import { audioFrame } from '@session-launch/contract/runtime/protocol';
import { Application, createDecoder, createEncoder } from 'libopus-wasm';
import { concatenated } from '../../src/samples.ts';

/** A sweep with pauses, which is similar to itself at no other position. */
export function sweep(seconds: number, sampleRate: number): Int16Array {
  return Int16Array.from({ length: Math.round(seconds * sampleRate) }, (_, i) => {
    const t = i / sampleRate;
    const isSound = t % 0.7 < 0.5;
    return isSound ? 9000 * Math.sin(2 * Math.PI * (250 * t + 180 * Math.sin(5 * t))) : 0;
  });
}

/** The packets of a frame's payload. */
export function packetsIn(frame: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const packets: Uint8Array[] = [];
  for (let at = audioFrame.headerBytes; at < bytes.length; ) {
    const length = bytes.readUInt16LE(at);
    packets.push(bytes.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return packets;
}

/** Decodes as the protocol describes: without the pre-skip, and cut at the end. */
export async function decoded(
  packets: Uint8Array[],
  { sampleRate, preSkip, samples }: { sampleRate: 16_000 | 24_000; preSkip: number; samples: number },
): Promise<Int16Array> {
  const decoder = await createDecoder({ sampleRate, channels: 1 });
  const all = concatenated(packets.map((packet) => decoder.decode(packet)));
  decoder.free();
  return all.slice(preSkip, preSkip + samples);
}

/** The shift of `later` against `earlier`, in samples, at which they are most similar, and how similar they are then, at most 1. */
export function alignment(earlier: Int16Array, later: Int16Array, maxShift = 8) {
  let best = { shift: 0, similarity: -1 };
  for (let shift = -maxShift; shift <= maxShift; shift++) {
    let [product, a, b] = [0, 0, 0];
    for (let i = maxShift; i < earlier.length - maxShift; i++) {
      const [x, y] = [earlier[i]!, later[i + shift] ?? 0];
      product += x * y;
      a += x * x;
      b += y * y;
    }
    const similarity = product / Math.sqrt(a * b || 1);
    if (similarity > best.similarity) best = { shift, similarity };
  }
  return best;
}

/** User audio as binary frames with two packets each. */
export async function userFrames(samples: Int16Array, frameMs = 20): Promise<Buffer[]> {
  const frameSize = frameMs * 16;
  const options = { sampleRate: 16_000, channels: 1, frameSize, application: Application.Voip } as const;
  const encoder = await createEncoder({ ...options, bitrate: 24_000 });
  const packets: Uint8Array[] = [];
  for (let at = 0; at + frameSize <= samples.length; at += frameSize)
    packets.push(encoder.encode(samples.subarray(at, at + frameSize)));
  encoder.free();
  return packets.flatMap((_, i) => (i % 2 === 1 ? [userFrame(packets.slice(i - 1, i + 1))] : []));
}

export function userFrame(packets: Uint8Array[]): Buffer {
  const header = Buffer.from([2, 2, 0, 0, 0, 0, 0, 0]);
  const parts = packets.flatMap((packet) => [Buffer.from([packet.length & 255, packet.length >> 8]), packet]);
  return Buffer.concat([header, ...parts]);
}
