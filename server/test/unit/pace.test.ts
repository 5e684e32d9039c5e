import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Pace } from '../../src/limits/pace.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** How many of `count` refusals are sent without delay. */
const atOnce = (pace: Pace, network: string, count: number) =>
  Array.from({ length: count }, () => pace.delay(network)).filter((turn) => turn === undefined).length;

test('two hundred refusals are sent at once, then one every ten milliseconds', () => {
  const pace = new Pace();
  expect(atOnce(pace, 'A', 250)).toBe(200);
  expect(pace.delayed).toBe(50);
  // The fifty delayed refusals are due within half a second.
  vi.advanceTimersByTime(500);
  expect(atOnce(pace, 'A', 1)).toBe(0);
  vi.advanceTimersByTime(10 + 1_000);
  expect(atOnce(pace, 'A', 200)).toBe(100);
});

test('a network is not delayed by refusals of another', () => {
  const pace = new Pace();
  atOnce(pace, 'A', 600);
  expect(atOnce(pace, 'B', 201)).toBe(200);
});

test('at most five hundred refusals are delayed; further ones are sent at once and do not shift the others', () => {
  const pace = new Pace();
  expect(atOnce(pace, 'A', 200 + 500)).toBe(200);
  expect(atOnce(pace, 'A', 1_000)).toBe(1_000);
  expect(pace.delayed).toBe(500);
  vi.advanceTimersByTime(5_000 + 2_000);
  expect(atOnce(pace, 'A', 250)).toBe(200);
});

test('delayed refusals are sent in order', async () => {
  const waits = vi.spyOn(timers, 'setTimeout');
  syncBuiltinESMExports();
  onTestFinished(() => {
    waits.mockRestore();
    syncBuiltinESMExports();
  });
  const pace = new Pace();
  atOnce(pace, 'A', 200);
  // The fake clock does not advance, so the delays are exact.
  await Promise.all([0, 1, 2].map(() => pace.delay('A')));
  // Later calls are the test runner's.
  expect(waits.mock.calls.slice(0, 3)).toEqual([[10], [20], [30]]);
});
