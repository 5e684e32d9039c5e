import { measure } from './contestant.ts';
import type { Environment } from './environment.ts';
import type { Measured } from './load.ts';
import type { Pace } from './rounds.ts';
import type { Request } from './world.ts';

export interface Beside {
  /** Mints per second: half of the maximum. */
  rate: number;
  /** Per round, the p99 with the other load divided by the p99 without. */
  ratios: number[];
  without: Measured[];
  beside: Measured[];
}

/** Measures the effect of another load on mints, in rounds of mints at half of the maximum rate with and without that load. */
export async function besideMints(
  { progress, signal }: Environment,
  mint: Request,
  { rounds, seconds, connections }: Pace,
  { name, start }: { name: string; start(): Promise<{ stop(): Promise<unknown> }> },
): Promise<Beside> {
  progress(`${name}: warm-up`);
  await measure({ ...mint, connections, seconds: 2 }, signal);
  const most = await measure({ ...mint, connections, seconds: Math.min(seconds, 5) }, signal);
  const rate = Math.max(1, Math.floor(most.perSecond / 2));
  const steady = () => measure({ ...mint, connections, seconds, rate }, signal);
  // A warm-up round that does not count: the first one at this rate is always slower.
  await steady();
  const [without, beside]: [Measured[], Measured[]] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round}/${rounds}: ${rate} mints a second, with and without ${name}`);
    for (const isBeside of round % 2 === 1 ? [false, true] : [true, false]) {
      const other = isBeside ? await start() : undefined;
      (isBeside ? beside : without).push(await steady());
      await other?.stop();
    }
  }
  return { rate, without, beside, ratios: beside.map(({ p99 }, i) => p99 / without[i]!.p99) };
}
