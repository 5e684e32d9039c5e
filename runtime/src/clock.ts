/** Time, as an argument: tests bring a clock that they move themselves. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Calls once, later. The answer takes the call back. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
