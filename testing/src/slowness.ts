import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';

/**
 * Asserts a time limit. If it is exceeded, multiplies the limit by the current slowdown of the machine. Such an excuse is appended to the
 * file that the variable TEST_EXCUSES names: `scripts/test.mjs` fails a run with more than three.
 */
export function expectWithin(ms: number, limitMs: number): void {
  if (ms < limitMs) return;
  const factor = slowness();
  expect(ms).toBeLessThan(limitMs * factor);
  excuse(`${Math.round(ms)} ms instead of ${limitMs}`, factor);
}

/**
 * Returns the outcomes without those that mean that time ran out. Expects none of these. If this process gets half of a core or less, at
 * most one in ten may be late, which is an excuse as above.
 */
export function inTime<T>(outcomes: readonly T[], late: T): T[] {
  const rest = outcomes.filter((outcome) => outcome !== late);
  const count = outcomes.length - rest.length;
  if (count === 0) return rest;
  const factor = slowness();
  expect(count, `outcomes ${late}`).toBeLessThanOrEqual(factor < 2 ? 0 : outcomes.length / 10);
  excuse(`${count} of ${outcomes.length} outcomes are ${late}`, factor);
  return rest;
}

function excuse(what: string, factor: number): void {
  const { testPath, currentTestName } = expect.getState();
  const line = `${testPath} > ${currentTestName}: ${what}, ${factor.toFixed(1)} times slower\n`;
  if (process.env.TEST_EXCUSES) appendFileSync(process.env.TEST_EXCUSES, line);
  else process.stderr.write(line);
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
