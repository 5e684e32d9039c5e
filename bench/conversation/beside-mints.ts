import { measure } from '../contestant.ts';
import type { Environment } from '../environment.ts';
import { startCrowd } from './beside.ts';
import { type Figure, figure } from './figure.ts';
import { provisionTalk } from './world.ts';

const people = 50;
const connections = 64;

/** The p99 of mints at half of their maximum, in turn with and without people who talk. */
export async function measureBesideMints(
  environment: Environment,
  rounds: number,
  seconds: number,
): Promise<Figure[]> {
  const { progress, signal } = environment;
  const service = await environment.onPostgres(await environment.database('beside_talk'));
  const { mint, key, url } = await provisionTalk(service);
  progress('warm-up: mints');
  await measure({ ...mint, connections, seconds: 2 }, signal);
  const most = await measure({ ...mint, connections, seconds: Math.min(seconds, 5) }, signal);
  const rate = Math.max(1, Math.floor(most.perSecond / 2));
  const growth = figure(`p99 of mints at a steady half, ${people} talk`, 1.5, '×', 2);
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round}/${rounds}: ${rate} mints a second, with and without ${people} people who talk`);
    const p99 = new Map<boolean, number>();
    for (const isTalking of round % 2 === 1 ? [false, true] : [true, false]) {
      const crowd = isTalking ? await startCrowd({ url, key, people }) : undefined;
      p99.set(isTalking, (await measure({ ...mint, connections, seconds, rate }, signal)).p99);
      await crowd?.leave();
    }
    growth.rounds.push(p99.get(true)! / p99.get(false)!);
  }
  await service.stop();
  return [growth];
}
