import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
  const order: number[] = [];
  // After a stall, Node may run timers of different lengths in another order; a defect shows in every round.
  for (let round = 0; round < 20 && order.join() !== '0,1,2'; round++) {
    const pace = new Pace();
    // The fake clock does not advance until all three have been submitted.
    atOnce(pace, 'A', 200);
    order.length = 0;
    await Promise.all([0, 1, 2].map(async (n) => pace.delay('A')?.then(() => order.push(n))));
  }
  expect(order).toEqual([0, 1, 2]);
});
