import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { besideMints } from '../steady-half.ts';
import { startCrowd, startStubEngines } from './beside.ts';
import { type Figure, figure } from './figure.ts';
import { provisionTalk } from './world.ts';

const people = 50;
const connections = 64;

/** The conversations of a run and their engines. */
interface Talk {
  name: string;
  /** Engines without latency, in another process; otherwise the built-in ones. */
  isInstant?: boolean;
  /** Number of different questions, if all answers are in the speech cache before the measurement. */
  subjects?: number;
}

const talks: Talk[] = [
  { name: 'instant engines', isInstant: true },
  { name: 'offline, a script whose sentences were spoken before', subjects: 20 },
  { name: 'offline, every sentence new' },
];

/** Rounds before the measurement, so that every answer has been synthesised at least once. */
const rehearsal = 2;

/** Measures the p99 of mints at half of their maximum rate, in turn with and without conversations. */
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
