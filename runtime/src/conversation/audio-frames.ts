import { audioFrame } from '@session-launch/contract/runtime/protocol';

// Samples are copied as they lie in memory: every machine that this runs on is little endian, as frames are.

/** A piece of an utterance as it travels. */
export function characterFrame(
  utterance: number,
  offset: number,
  samples: Int16Array,
  isLast: boolean,
): Uint8Array {
  // From the pool: thousands of these are made each second.
  const frame = Buffer.allocUnsafe(audioFrame.headerBytes + samples.byteLength);
  frame.writeUInt8(audioFrame.kinds.character, audioFrame.kindAt);
  frame.writeUInt8(isLast ? audioFrame.flags.last : 0, audioFrame.flagsAt);
  frame.writeUInt16LE(utterance, audioFrame.utteranceAt);
  frame.writeUInt32LE(offset, audioFrame.offsetAt);
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
