/** An injectable clock, so that tests can control time. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Calls `call` once after `ms` milliseconds, after reading the input that is pending by then. Returns a function that cancels it. */
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
    let immediate: NodeJS.Immediate | undefined;
    // After a stall of the event loop, Node runs timers before it reads sockets. The immediate runs after the read, which may cancel it.
    const timer = setTimeout(() => {
      immediate = setImmediate(call);
    }, ms);
    return () => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
  },
};
