import { unavailable } from '../errors.ts';

interface Bounds {
  /** Besides the one whose turn it is. */
  maxWaiting: number;
  maxWaitMs: number;
}

/**
 * Does one piece of work at a time, in the order in which they came. Where too many wait, and to who has waited too long,
 * it says to come back later; what was refused is never done.
 */
export function serialQueue({ maxWaiting, maxWaitMs }: Bounds): <T>(work: () => Promise<T>) => Promise<T> {
  let present = 0;
  let last: Promise<void> = Promise.resolve();
  return async (work) => {
    if (present > maxWaiting) throw unavailable();
    present++;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        present--;
        reject(unavailable());
      }, maxWaitMs);
      last = last.then(async () => {
        if (isLate) return;
        clearTimeout(timer);
        await work().then(resolve, reject);
        present--;
      });
    });
  };
}
