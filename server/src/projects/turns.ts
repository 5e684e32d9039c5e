import { unavailable } from '../errors.ts';

/** Does one piece of work at a time, in the order in which they came. Who would wait behind too many comes back later. */
export function takeTurns(maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let present = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (present > maxWaiting) throw unavailable();
    present++;
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn.finally(() => present--);
  };
}
