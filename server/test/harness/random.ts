import { randomInt } from 'node:crypto';
import type { TestContext } from 'vitest';

export type Random = () => number;

/** Pseudo-random numbers from 0 to 1; FAULTS_SEED repeats a sequence. A failing test prints its seed. */
export function seededRandom({ onTestFailed }: Pick<TestContext, 'onTestFailed'>): Random {
  const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));
  onTestFailed(() => console.error(`To draw the same numbers again: FAULTS_SEED=${seed}`));
  let state = seed;
  // Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
