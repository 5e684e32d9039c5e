// Transcribes one turn at a time. Runs as a separate process, so that a crash of native code or a lack of memory ends no conversation.
import { constants, setPriority } from 'node:os';
import { loadMoonshine } from './moonshine.js';

const send = (message) => process.send?.(message, () => {});

// A terminal sends its signals to the whole process group. This process ends with the runtime.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));
try {
  // A mint or the speech of another session takes precedence.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {}

/** Id of the job in progress; `undefined` if its text is no longer needed. */
let wanted;

try {
  const [encoder, decoder] = process.argv.slice(2);
  const transcribe = await loadMoonshine({ encoder, decoder });
  process.on('message', async ({ id, samples, hints }) => {
    if (samples === undefined) {
      if (wanted === id) wanted = undefined;
      return;
    }
    wanted = id;
    try {
      send({ type: 'heard', id, text: await transcribe(samples, hints, () => wanted !== id) });
    } catch (error) {
      send({ type: 'heard', id, failure: String(error) });
    }
  });
  send({ type: 'ready' });
} catch (error) {
  send({ type: 'broken', problem: String(error) });
}
