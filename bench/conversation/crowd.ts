import { mintMany } from '../runtimes.ts';
import { serverMint } from '../world.ts';
import { Listener, runtimeUrl, timeToAudio } from './listener.ts';
import { experienceId, question } from './world.ts';

/**
 * Simulates many clients that talk continuously, in a separate process: each asks when the previous answer has ended, and launches a new
 * session when the runtime has gone. Prints a line when all clients have received audio, and exits when its standard input closes.
 */
const {
  url,
  key,
  people,
  subjects = Number.POSITIVE_INFINITY,
  isOpus = false,
} = JSON.parse(process.argv[2] ?? '{}') as CrowdOptions;

export interface CrowdOptions {
  url: string;
  key: string;
  people: number;
  /** Number of different questions; absent: all of them. */
  subjects?: number | undefined;
  /** Speech arrives as Opus. */
  isOpus?: boolean;
}

const mint = { ...serverMint(url, key), body: JSON.stringify({ experienceId, locale: 'en' }) };
const here = new Set<Listener>();
let isOver = false;
let asked = 0;

async function attend(isTalking: () => void): Promise<void> {
  while (!isOver) {
    const [launch] = await mintMany(mint, 1);
    const listener = new Listener(runtimeUrl(url), launch!.sessionToken, isOpus);
    here.add(listener);
    await converse(listener, isTalking).catch(() => {});
    here.delete(listener);
  }
}

async function converse(listener: Listener, isTalking: () => void): Promise<void> {
  for (;;) {
    await listener.listening();
    await timeToAudio(listener, question(asked++ % subjects));
    isTalking();
    // Discards the received frames and events, to save memory.
    listener.frameTimes.length = 0;
    listener.events.length = 0;
  }
}

let talking = 0;
for (let n = 0; n < people; n++) {
  let isCounted = false;
  void attend(() => {
    if (isCounted) return;
    isCounted = true;
    if (++talking === people) process.stdout.write('talking\n');
  });
}
process.stdin.resume();
process.stdin.once('end', async () => {
  isOver = true;
  await Promise.all([...here].map((listener) => listener.leave()));
  process.exit(0);
});
