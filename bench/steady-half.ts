import { measure } from './contestant.ts';
import type { Environment } from './environment.ts';
import type { Pace } from './rounds.ts';
import type { Request } from './world.ts';

/** Measures the effect of another load on mints: per round the ratio of the p99 at half of the maximum rate with and without that load. */
export async function besideMints(
  { progress, signal }: Environment,
  mint: Request,
  { rounds, seconds, connections }: Pace,
  { name, start }: { name: string; start(): Promise<{ stop(): Promise<unknown> }> },
): Promise<{ rate: number; ratios: number[] }> {
  progress(`${name}: warm-up`);
  await measure({ ...mint, connections, seconds: 2 }, signal);
  const most = await measure({ ...mint, connections, seconds: Math.min(seconds, 5) }, signal);
  const rate = Math.max(1, Math.floor(most.perSecond / 2));
  const steady = async () => (await measure({ ...mint, connections, seconds, rate }, signal)).p99;
  // A warm-up round that does not count: the first one at this rate is always slower.
  await steady();
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round}/${rounds}: ${rate} mints a second, with and without ${name}`);
    const p99 = new Map<boolean, number>();
    for (const isBeside of round % 2 === 1 ? [false, true] : [true, false]) {
      const other = isBeside ? await start() : undefined;
      p99.set(isBeside, await steady());
      await other?.stop();
    }
    ratios.push(p99.get(true)! / p99.get(false)!);
  }
  return { rate, ratios };
}
