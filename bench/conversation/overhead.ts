import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { cpuSeconds, residentBytes } from '../processes.ts';
import { percentile } from '../statistics.ts';
import { runtimeOf, startCrowd, startStubEngines } from './beside.ts';
import { type Figure, figure } from './figure.ts';
import { askQuickly } from './unpaced.ts';
import { provisionTalk } from './world.ts';

const people = 200;

/** Measures the runtime's own overhead, with engines without latency in another process. */
export async function measureOverhead(
  environment: Environment,
  rounds: number,
  turns: number,
  seconds: number,
): Promise<Figure[]> {
  const { progress, signal } = environment;
  const engines = await startStubEngines();
  const service = await environment.embedded({ env: { ...engines.env, RUNTIME_MAX_SESSIONS: '1000' } });
  const world = await provisionTalk(service);
  const delay = figure('typed turn → first audio, instant engines, p95', 30);
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round}/${rounds}: ${turns} turns with instant engines`);
    const times = await askQuickly(world, turns, (client) => client.interrupt());
    delay.rounds.push(percentile(times, 0.95));
  }
  const core = figure(`${people} streaming sessions, beside the engines`, 30, '% of a core');
  const memory = figure(`${people} streaming sessions, memory that they add`, 120, 'MB');
  progress(`${people} people come`);
  const runtime = await runtimeOf(service.pid);
  const idle = await residentBytes(runtime);
  const crowd = await startCrowd({ url: service.url, key: world.key, people });
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round}/${rounds}: ${people} people listen`);
    const [began, before] = [performance.now(), await cpuSeconds([runtime])];
    await pause(seconds * 1000, undefined, { signal });
    const cpu = (await cpuSeconds([runtime])) - before;
    core.rounds.push((cpu / ((performance.now() - began) / 1000)) * 100);
    memory.rounds.push(((await residentBytes(runtime)) - idle) / 2 ** 20);
  }
  await crowd.leave();
  await service.stop();
  await engines.close();
  return [delay, core, memory];
}
