import type { ExperienceError } from '../types.ts';

/** Counts down the seconds until the visitor may start again. Calls `tick` every second. */
export function countdown(tick: () => void) {
  let counted: ExperienceError | null = null;
  let until = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  /** Seconds left of the error's `retryAfterMs`, rounded up. Schedules the next tick while there are any. */
  const left = (error: ExperienceError | null): number => {
    stop();
    if (error?.retryAfterMs === undefined) return 0;
    if (error !== counted) until = performance.now() + error.retryAfterMs;
    counted = error;
    const seconds = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    if (seconds > 0) timer = setTimeout(tick, 1000);
    return seconds;
  };
  return { left, stop };
}
