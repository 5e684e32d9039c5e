import { characterFrame } from '../../src/conversation/audio-frames.ts';

/** A binary frame of PCM. */
export function pcmFrame(
  utterance: number,
  offset: number,
  samples: Int16Array,
  isLast: boolean,
): Uint8Array {
  const payload = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const end = offset + samples.length;
  return characterFrame(utterance, { payload, isOpus: false, offset, end, isLast });
}
