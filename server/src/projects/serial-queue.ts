import { unavailable } from '../primitives/errors.ts';

interface Limits {
  /** Maximum waiting tasks, not counting the running one. */
  maxWaiting: number;
  maxWaitMs: number;
}

/**
 * Returns a function that runs tasks one at a time, in order. It rejects with 503 a task that finds the queue full, or that
 * waits longer than `maxWaitMs`; a rejected task never runs.
 */
export function serialQueue({ maxWaiting, maxWaitMs }: Limits): <T>(task: () => Promise<T>) => Promise<T> {
  let queued = 0;
  let last: Promise<void> = Promise.resolve();
  return async (task) => {
    if (queued > maxWaiting) throw unavailable();
    queued++;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        queued--;
        reject(unavailable());
      }, maxWaitMs);
      last = last.then(async () => {
        if (isLate) return;
        clearTimeout(timer);
        await task().then(resolve, reject);
        queued--;
      });
    });
  };
}
