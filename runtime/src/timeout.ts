import type { Clock } from './clock.ts';

export interface Timeout {
  clock: Clock;
  ms: number;
  /** The reason of the abort after `ms` milliseconds. */
  error(): Error;
  /** Aborts the work early. */
  signal?: AbortSignal;
}

/**
 * Runs `work` with a signal that is aborted by the timeout or by `signal`. Rejects with the reason of the abort, even if the work hangs.
 * Holds controller and timer: Node 20 may collect `AbortSignal.timeout` before it fires.
 */
export async function withTimeout<T>(
  { clock, ms, error, signal }: Timeout,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const cancel = clock.after(ms, () => stop.abort(error()));
  const leave = () => {
    cancel();
    stop.abort(signal?.reason);
  };
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await unlessAborted(work(stop.signal), stop.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', leave);
  }
}

/** Rejects when the signal is aborted, even if the connection hangs. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
