import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { besideMints } from '../steady-half.ts';
import { startCrowd, startStubEngines } from './beside.ts';
import { type Figure, figure } from './figure.ts';
import { provisionTalk } from './world.ts';

const people = 50;
const connections = 64;

/** What people talk about, and who thinks and speaks. */
interface Talk {
  name: string;
  /** Engines that take no time and run elsewhere; otherwise the ones that come along. */
  isInstant?: boolean;
  /** How many different things people ask for, when each was answered aloud before. */
  subjects?: number;
}

const talks: Talk[] = [
  { name: 'instant engines', isInstant: true },
  { name: 'offline, a script whose sentences were spoken before', subjects: 20 },
  { name: 'offline, every sentence new' },
];

/** Rounds that it takes until all subjects have been spoken once, and some more. */
const rehearsal = 2;

/** The p99 of mints at half of their maximum, in turn with and without people who talk. */
export async function measureBesideMints(
  environment: Environment,
  rounds: number,
  seconds: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [n, talk] of talks.entries()) {
    const engines = talk.isInstant ? await startStubEngines() : undefined;
    figures.push(await besideTalk(environment, { ...talk, n, env: engines?.env ?? {} }, rounds, seconds));
    await engines?.close();
  }
  return figures;
}

async function besideTalk(
  environment: Environment,
  { name, n, env, subjects }: Talk & { n: number; env: Record<string, string> },
  rounds: number,
  seconds: number,
): Promise<Figure> {
  const service = await environment.onPostgres(await environment.database(`beside_talk_${n}`), { env });
  const { mint, key, url } = await provisionTalk(service);
  const start = async () => {
    const { leave } = await startCrowd({ url, key, people, subjects });
    return { stop: leave };
  };
  if (subjects !== undefined) {
    environment.progress(`${name}: rehearsal`);
    const crowd = await start();
    await pause(seconds * rehearsal * 1000, undefined, { signal: environment.signal });
    await crowd.stop();
  }
  const pace = { rounds, seconds, connections };
  const beside = { name: `${people} people, ${name}`, start };
  const { ratios } = await besideMints(environment, mint, pace, beside);
  await service.stop();
  const growth = figure(`p99 of mints at a steady half, ${people} talk: ${name}`, 1.5, '×', 2);
  return { ...growth, rounds: ratios };
}
