interface Limits {
  ms: number;
  /** Creates the error after `ms` milliseconds. */
  late(): Error;
  signal?: AbortSignal | undefined;
  /** Creates the error when the signal is aborted. */
  aborted?(): Error;
}

/**
 * Settles like `work`, but rejects after `ms` milliseconds or when the signal is aborted. Used instead of a signal of `fetch`: Node.js 20
 * may garbage-collect that signal while a body is stalled, and the read then never settles.
 */
export async function withTimeout<T>(work: Promise<T>, { ms, late, signal, aborted }: Limits): Promise<T> {
  // Prevents an unhandled rejection if `work` loses the race.
  work.catch(() => {});
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
    onAbort = () => reject(aborted?.());
    signal?.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
