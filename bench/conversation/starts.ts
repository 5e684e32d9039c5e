import type { Environment } from '../environment.ts';
import { type Figure, figure } from './figure.ts';
import { connected } from './listener.ts';
import { provisionTalk } from './world.ts';

/** Measures how much longer a first start takes with a runtime: until a session is ready, against the first mint without a runtime. */
export async function measureStarts(environment: Environment, rounds: number): Promise<Figure[]> {
  const longer = figure('first start, longer than without a runtime', 3000);
  for (let round = 1; round <= rounds; round++) {
    environment.progress(`round ${round}/${rounds}: first starts`);
    const times = new Map<boolean, number>();
    for (const isBeside of round % 2 === 1 ? [false, true] : [true, false])
      times.set(isBeside, await firstStart(environment, isBeside));
    longer.rounds.push(times.get(true)! - times.get(false)!);
  }
  return [longer];
}

async function firstStart(environment: Environment, isBeside: boolean): Promise<number> {
  const began = performance.now();
  const service = await environment.embedded({ env: { RUNTIME: isBeside ? 'on' : 'off' } });
  const world = await provisionTalk(service);
  const [launch] = await world.launches(1);
  const listener = isBeside ? await connected(service.url, launch!) : undefined;
  const ms = performance.now() - began;
  await listener?.leave();
  await service.stop();
  return ms;
}
