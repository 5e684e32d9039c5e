import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coalesced } from '../src/state/coalesce.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A work whose runs end when `end` is called. */
function slowWork() {
  const ends: (() => void)[] = [];
  const work = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  const end = async () => {
    ends.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { work, end };
}

test('runs at once, then at most once per pause', async () => {
  const work = vi.fn(async () => {});
  const { call } = coalesced(work, 1_000);
  call();
  await vi.advanceTimersByTimeAsync(0);
  expect(work).toHaveBeenCalledTimes(1);
  for (let n = 0; n < 200; n++) call();
  await vi.advanceTimersByTimeAsync(999);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(work).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work).toHaveBeenCalledTimes(2);
});

test('runs once more after a run during which it was called, never twice at the same time', async () => {
  const { work, end } = slowWork();
  const { call } = coalesced(work, 1_000);
  call();
  await vi.advanceTimersByTimeAsync(5_000);
  call();
  call();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(1);
  await end();
  expect(work).toHaveBeenCalledTimes(2);
  await end();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(2);
});

test('does not run after stop', async () => {
  const { work, end } = slowWork();
  const { call, stop } = coalesced(work, 1_000);
  call();
  await vi.advanceTimersByTimeAsync(0);
  call();
  stop();
  await end();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(work).toHaveBeenCalledTimes(1);
});
