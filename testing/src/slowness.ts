import { expect } from 'vitest';

/** What is promised in seconds is promised on a machine that has time for it: a busy one gets more. */
export function expectWithin(ms: number, limitMs: number): void {
  if (ms >= limitMs) expect(ms).toBeLessThan(limitMs * slowness());
}

/**
 * How much longer than its work a program takes on this machine just now: 1 when nothing else runs, 5 when it gets a fifth of a
 * core.
 */
function slowness(): number {
  const began = performance.now();
  const before = process.cpuUsage();
  let usedMs = 0;
  while (usedMs < 100) {
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1000;
  }
  return Math.max(1, (performance.now() - began) / usedMs);
}
