import { mintMany } from '../runtimes.ts';
import { serverMint } from '../world.ts';
import { Listener, runtimeUrl } from './listener.ts';
import { experienceId, question } from './world.ts';

/**
 * Many people who talk all the time, in a process of its own: each asks as soon as the answer before is over, and comes back with a new
 * launch when the runtime has gone. Prints a line when all of them have heard the first sound, and leaves when its input ends.
 */
const {
  url,
  key,
  people,
  subjects = Number.POSITIVE_INFINITY,
} = JSON.parse(process.argv[2] ?? '{}') as CrowdOptions;

export interface CrowdOptions {
  url: string;
  key: string;
  people: number;
  /** How many different things they ask for; absent: as many as there are. */
  subjects?: number | undefined;
}

const mint = { ...serverMint(url, key), body: JSON.stringify({ experienceId, locale: 'en' }) };
const here = new Set<Listener>();
let isOver = false;
let asked = 0;

async function attend(isTalking: () => void): Promise<void> {
  while (!isOver) {
    const [launch] = await mintMany(mint, 1);
    const listener = new Listener(runtimeUrl(url), launch!.sessionToken);
    here.add(listener);
    await converse(listener, isTalking).catch(() => {});
    here.delete(listener);
  }
}

async function converse(listener: Listener, isTalking: () => void): Promise<void> {
  for (;;) {
    await listener.listening();
    await listener.ask(question(asked++ % subjects));
    isTalking();
    // What was heard is of no use here, and there is much of it.
    listener.frames.length = 0;
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
