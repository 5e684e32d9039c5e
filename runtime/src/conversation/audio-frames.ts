import { audioFrame } from '@session-launch/contract/runtime/protocol';
import { unpacked } from '../opus/packets.ts';
import type { Frame } from './frame-source.ts';

// Samples are copied in the host's byte order. Frames are little-endian, as are all supported platforms.

/** Writes a frame of an utterance as a binary frame. */
export function characterFrame(utterance: number, { payload, isOpus, offset, isLast }: Frame): Uint8Array {
  const { headerBytes, flags } = audioFrame;
  // `allocUnsafe` takes memory from Node's buffer pool: thousands of frames are created per second.
  const frame = Buffer.allocUnsafe(headerBytes + payload.byteLength);
  frame.writeUInt8(audioFrame.kinds.character, audioFrame.kindAt);
  frame.writeUInt8((isLast ? flags.last : 0) | (isOpus ? flags.opus : 0), audioFrame.flagsAt);
  frame.writeUInt16LE(utterance, audioFrame.utteranceAt);
  frame.writeUInt32LE(offset, audioFrame.offsetAt);
  frame.set(payload, headerBytes);
  return frame;
}

/** The audio of a user's frame. */
export type UserAudio = { samples: Int16Array } | { packets: Uint8Array[] };

/** Returns the audio of a user's frame, or `undefined` if the frame is not one. */
export function userAudio(frame: Uint8Array): UserAudio | undefined {
  if (frame[audioFrame.kindAt] !== audioFrame.kinds.user) return undefined;
  const payload = frame.subarray(audioFrame.headerBytes);
  if ((frame[audioFrame.flagsAt]! & audioFrame.flags.opus) !== 0) {
    const packets = unpacked(payload);
    return packets === undefined ? undefined : { packets };
  }
  if (payload.length === 0 || payload.length % 2 !== 0) return undefined;
  return { samples: new Int16Array(Uint8Array.from(payload).buffer) };
}
