import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startWorkTimer } from '../src/work-timer.ts';

/** Milliseconds of a processor that the process has used. */
let used = 0;
beforeEach(() => {
  used = 0;
  vi.useFakeTimers();
  vi.spyOn(process, 'cpuUsage').mockImplementation((before) => ({
    user: used * 1000 - (before?.user ?? 0),
    system: 0,
  }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a timer ends after its time if the process has worked for half of it', () => {
  const onOverdue = vi.fn();
  startWorkTimer(1_000, 30_000, onOverdue);
  used = 500;
  vi.advanceTimersByTime(999);
  expect(onOverdue).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onOverdue).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(60_000);
  expect(onOverdue).toHaveBeenCalledOnce();
});

test('a timer of a process that works less ends once it has worked, or after its maximum', () => {
  const worked = vi.fn();
  const idle = vi.fn();
  startWorkTimer(1_000, 30_000, worked);
  vi.advanceTimersByTime(5_000);
  expect(worked).not.toHaveBeenCalled();
  used = 500;
  vi.advanceTimersByTime(250);
  expect(worked).toHaveBeenCalledOnce();

  startWorkTimer(1_000, 30_000, idle);
  vi.advanceTimersByTime(29_000);
  expect(idle).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_250);
  expect(idle).toHaveBeenCalledOnce();
});

test('a timer that was stopped does not end', () => {
  const onOverdue = vi.fn();
  const stop = startWorkTimer(1_000, 30_000, onOverdue);
  vi.advanceTimersByTime(2_000);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(onOverdue).not.toHaveBeenCalled();
});
