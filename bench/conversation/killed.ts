import { setTimeout as pause } from 'node:timers/promises';
import { measure } from '../contestant.ts';
import type { Environment } from '../environment.ts';
import { runtimeOf, startCrowd } from './beside.ts';
import { type Figure, figure } from './figure.ts';
import { Listener, runtimeUrl } from './listener.ts';
import { provisionTalk } from './world.ts';

const people = 50;
/** Milliseconds until the service has a spare runtime again; it starts one when the current runtime has proved stable. */
const calmMs = 15_000;
const beforeSeconds = 3;
const afterSeconds = 5;

/** Kills the runtime with SIGKILL during fifty conversations and mints at full rate. Measures the time to recovery and failed mints. */
export async function measureKills(environment: Environment, rounds: number): Promise<Figure[]> {
  const { progress, signal } = environment;
  const service = await environment.onPostgres(await environment.database('killed'), {
    env: { RUNTIME_MAX_SESSIONS: '200' },
  });
  const world = await provisionTalk(service);
  const accepts = figure(
    'kill -9 of the runtime, 50 talk, mints at their maximum: it accepts connections',
    2000,
  );
  const talks = figure('and a session is ready', 5000);
  const failed = figure('and mints failed', 0, 'mints');
  const crowd = await startCrowd({ url: service.url, key: world.key, people });
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round}/${rounds}: the runtime is killed`);
    await pause(calmMs, undefined, { signal });
    const [launch] = await world.launches(1);
    const load = measure({ ...world.mint, connections: 64, seconds: beforeSeconds + afterSeconds }, signal);
    // Prevents an unhandled rejection: an abort rejects both waits, and the other one reports it.
    load.catch(() => {});
    await pause(beforeSeconds * 1000, undefined, { signal });
    process.kill(await runtimeOf(service.pid), 'SIGKILL');
    const killedAt = performance.now();
    const listener = new Listener(runtimeUrl(service.url), launch!.sessionToken);
    await listener.opened;
    accepts.rounds.push(performance.now() - killedAt);
    await listener.event('ready');
    talks.rounds.push(performance.now() - killedAt);
    const { statuses, errors } = await load;
    const { 201: minted = 0, ...others } = statuses as Record<number, number>;
    if (minted === 0) throw new Error('nothing was minted');
    failed.rounds.push(errors + Object.values(others).reduce((sum, count) => sum + count, 0));
    await listener.leave();
  }
  await crowd.leave();
  return [accepts, talks, failed];
}
