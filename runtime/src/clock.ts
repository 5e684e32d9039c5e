/** An injectable clock, so that tests can control time. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Calls `call` once after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** Wraps a clock so that an error in a callback is passed to `failed`. */
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
