import { expect } from 'vitest';

/** Asserts a time limit. If it is exceeded, multiplies the limit by the current slowdown of the machine. */
export function expectWithin(ms: number, limitMs: number): void {
  if (ms >= limitMs) expect(ms).toBeLessThan(limitMs * slowness());
}

/** The ratio of wall-clock time to CPU time of a busy loop: 1 on an idle machine, 5 when this process gets a fifth of a core. */
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
