import type { Client } from './client.ts';

/** Sends frames of user audio, 40 ms each by default. */
export function sendAudio(client: Client, frames: number, { ms = 40, loudness = 0 } = {}): void {
  const frame = Buffer.alloc(8 + ms * 32);
  frame[0] = 2;
  for (let at = 8; at < frame.length; at += 2) frame.writeInt16LE(loudness, at);
  for (let i = 0; i < frames; i++) client.ws.send(frame);
}
