import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sharedPing } from '../../src/store/ping.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([true, false])('one ping is shared for half a second (well: %s)', async (isWell) => {
  let pings = 0;
  const ping = sharedPing(async () => {
    pings++;
    if (!isWell) throw new Error('away');
  });
  const outcome = () =>
    ping().then(
      () => true,
      () => false,
    );
  expect(await Promise.all([outcome(), outcome(), outcome()])).toEqual([isWell, isWell, isWell]);
  vi.advanceTimersByTime(400);
  expect(await outcome()).toBe(isWell);
  expect(pings).toBe(1);
  vi.advanceTimersByTime(200);
  expect(await outcome()).toBe(isWell);
  expect(pings).toBe(2);
});
