import { writeFile } from 'node:fs/promises';
import { writeWav } from '@session-launch/process/wav';
import { Talker } from '@session-launch/testing/talker.ts';

/** Collects what the character says. */
class Recorder extends Talker {
  readonly samples: number[] = [];

  constructor(...args: ConstructorParameters<typeof Talker>) {
    super(...args);
    this.ws.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return;
      for (let at = 8; at < data.length; at += 2) this.samples.push(data.readInt16LE(at));
    });
  }
}

/** Writes a WAV file in which the character of a session says its greeting, then is silent for some seconds. */
export async function writeSpokenWav(
  file: string,
  url: string,
  token: string,
  silentSeconds = 2,
): Promise<void> {
  const recorder = new Recorder(url, token);
  await recorder.ready();
  await recorder.event(({ type }) => type === 'utterance.end');
  await recorder.listening();
  await recorder.leave();
  const sampleRate = 16_000;
  const samples = Int16Array.from([...recorder.samples, ...new Array(silentSeconds * sampleRate).fill(0)]);
  await writeFile(file, writeWav({ sampleRate, samples }));
}
