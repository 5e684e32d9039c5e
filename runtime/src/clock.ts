/** Time, as an argument: tests bring a clock that they move themselves. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Calls once, later. The answer takes the call back. */
  after(ms: number, call: () => void): () => void;
}

/** A clock whose calls cannot fail unheard. */
export function guarded(clock: Clock, failed: (error: Error) => void): Clock {
  return {
    now: () => clock.now(),
    after: (ms, call) =>
      clock.after(ms, () => {
        try {
          call();
        } catch (error) {
          failed(error as Error);
        }
      }),
  };
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
