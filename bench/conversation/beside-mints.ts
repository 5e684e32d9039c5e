import { setTimeout as pause } from 'node:timers/promises';
import { measure } from '../contestant.ts';
import type { Environment } from '../environment.ts';
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

/** Until a script of so many subjects has been spoken once. */
const rehearsalMs = 20_000;

/** The p99 of mints at half of their maximum, in turn with and without people who talk. */
export async function measureBesideMints(
  environment: Environment,
  rounds: number,
  seconds: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [n, talk] of talks.entries()) {
    const engines = talk.isInstant ? await startStubEngines() : undefined;
    figures.push(await besideMints(environment, { ...talk, n, env: engines?.env ?? {} }, rounds, seconds));
    await engines?.close();
  }
  return figures;
}

async function besideMints(
  environment: Environment,
  { name, n, env, subjects }: Talk & { n: number; env: Record<string, string> },
  rounds: number,
  seconds: number,
): Promise<Figure> {
  const { progress, signal } = environment;
  const service = await environment.onPostgres(await environment.database(`beside_talk_${n}`), { env });
  const { mint, key, url } = await provisionTalk(service);
  const crowdOptions = { url, key, people, subjects };
  progress(`${name}: warm-up`);
  await measure({ ...mint, connections, seconds: 2 }, signal);
  const most = await measure({ ...mint, connections, seconds: Math.min(seconds, 5) }, signal);
  const rate = Math.max(1, Math.floor(most.perSecond / 2));
  if (subjects !== undefined) {
    const crowd = await startCrowd(crowdOptions);
    await pause(rehearsalMs, undefined, { signal });
    await crowd.leave();
  }
  // One round that does not count: the first at this pace is slower than all others, with and without people.
  await measure({ ...mint, connections, seconds, rate }, signal);
  const growth = figure(`p99 of mints at a steady half, ${people} talk: ${name}`, 1.5, '×', 2);
  for (let round = 1; round <= rounds; round++) {
    progress(`${name}, round ${round}/${rounds}: ${rate} mints a second, with and without ${people} people`);
    const p99 = new Map<boolean, number>();
    for (const isTalking of round % 2 === 1 ? [false, true] : [true, false]) {
      const crowd = isTalking ? await startCrowd(crowdOptions) : undefined;
      p99.set(isTalking, (await measure({ ...mint, connections, seconds, rate }, signal)).p99);
      await crowd?.leave();
    }
    growth.rounds.push(p99.get(true)! / p99.get(false)!);
  }
  await service.stop();
  return growth;
}
