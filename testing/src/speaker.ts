import { setTimeout as pause } from 'node:timers/promises';
import { audioFrame } from '@session-launch/contract/wire';
import type { Talker } from './talker.ts';

const frameMs = 40;
const samplesPerMs = audioFrame.inputSampleRate / 1000;
/** Samples above this absolute value, of 32,767, are speech. */
const audible = 500;

/** The first sentence of an answer, up to its last audible sample. */
export async function recorded(client: Talker, text: string): Promise<Int16Array> {
  await client.listening();
  const parts: Buffer[] = [];
  let first: number | undefined;
  const listen = (data: Buffer, isBinary: boolean) => {
    if (!isBinary) return;
    first ??= data.readUInt16LE(audioFrame.utteranceAt);
    if (data.readUInt16LE(audioFrame.utteranceAt) === first)
      parts.push(data.subarray(audioFrame.headerBytes));
  };
  client.ws.on('message', listen);
  const from = client.events.length;
  client.say(text);
  await client.until(() => client.events.slice(from).some(({ type }) => type === 'utterance.end'));
  await client.listening();
  client.ws.off('message', listen);
  const samples = new Int16Array(Uint8Array.from(Buffer.concat(parts)).buffer);
  return samples.subarray(0, samples.findLastIndex((sample) => Math.abs(sample) > audible) + 1);
}

/** Sends speech and then silence in real time; returns the milliseconds from the end of the speech until the first audio of the answer. */
export async function speak(client: Talker, speech: Int16Array): Promise<number> {
  await client.listening();
  const heard = client.frames;
  const began = performance.now();
  for (let sent = 0; client.frames === heard; sent += frameMs) {
    const part = speech.subarray(sent * samplesPerMs, (sent + frameMs) * samplesPerMs);
    const frame = Buffer.alloc(audioFrame.headerBytes + frameMs * samplesPerMs * 2);
    frame.writeUInt8(audioFrame.kinds.user, audioFrame.kindAt);
    for (const [n, sample] of part.entries()) frame.writeInt16LE(sample, audioFrame.headerBytes + 2 * n);
    client.ws.send(frame);
    await pause(Math.max(0, began + sent + frameMs - performance.now()));
  }
  return client.frameTimes[heard]! - (began + speech.length / samplesPerMs);
}
