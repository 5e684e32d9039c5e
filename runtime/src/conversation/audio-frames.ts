import { audioFrame } from '@session-launch/contract/runtime/protocol';

// Samples are copied as they lie in memory: every machine that this runs on is little endian, as frames are.

/** A piece of an utterance as it travels. */
export function characterFrame(
  utterance: number,
  offset: number,
  samples: Int16Array,
  isLast: boolean,
): Uint8Array {
  const frame = new Uint8Array(audioFrame.headerBytes + samples.byteLength);
  const view = new DataView(frame.buffer);
  view.setUint8(audioFrame.kindAt, audioFrame.kinds.character);
  view.setUint8(audioFrame.flagsAt, isLast ? audioFrame.flags.last : 0);
  view.setUint16(audioFrame.utteranceAt, utterance, true);
  view.setUint32(audioFrame.offsetAt, offset, true);
  frame.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), audioFrame.headerBytes);
  return frame;
}

/** What a user said, or undefined when it is no such frame. */
export function userSamples(frame: Uint8Array): Int16Array | undefined {
  const length = frame.length - audioFrame.headerBytes;
  if (length <= 0 || length % 2 !== 0) return undefined;
  if (frame[audioFrame.kindAt] !== audioFrame.kinds.user) return undefined;
  return new Int16Array(Uint8Array.from(frame.subarray(audioFrame.headerBytes)).buffer);
}
