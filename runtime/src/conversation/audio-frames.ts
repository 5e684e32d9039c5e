import { audioFrame } from '@session-launch/contract/runtime/protocol';

// Samples are copied in the host's byte order. Frames are little-endian, as are all supported platforms.

/** Encodes a chunk of an utterance as a binary frame. */
export function characterFrame(
  utterance: number,
  offset: number,
  samples: Int16Array,
  isLast: boolean,
): Uint8Array {
  // `allocUnsafe` takes memory from Node's buffer pool: thousands of frames are created per second.
  const frame = Buffer.allocUnsafe(audioFrame.headerBytes + samples.byteLength);
  frame.writeUInt8(audioFrame.kinds.character, audioFrame.kindAt);
  frame.writeUInt8(isLast ? audioFrame.flags.last : 0, audioFrame.flagsAt);
  frame.writeUInt16LE(utterance, audioFrame.utteranceAt);
  frame.writeUInt32LE(offset, audioFrame.offsetAt);
  frame.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), audioFrame.headerBytes);
  return frame;
}

/** Returns the samples of a user audio frame, or `undefined` if the frame is not one. */
export function userSamples(frame: Uint8Array): Int16Array | undefined {
  const length = frame.length - audioFrame.headerBytes;
  if (length <= 0 || length % 2 !== 0) return undefined;
  if (frame[audioFrame.kindAt] !== audioFrame.kinds.user) return undefined;
  return new Int16Array(Uint8Array.from(frame.subarray(audioFrame.headerBytes)).buffer);
}
