/** The error of `within` after its timeout. */
export class TimeUp extends Error {
  constructor(seconds: number) {
    super(`timed out after ${seconds} seconds`);
    this.name = 'TimeUp';
  }
}

/**
 * Runs work with a timeout. The promise is raced as well as aborted: after a garbage collection, `fetch` in Node 20 may
 * ignore its AbortSignal and never settle. The pending timer also keeps the process alive until the work ends.
 */
export async function within<T>(seconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new TimeUp(seconds);
      reject(error);
      controller.abort(error);
    }, seconds * 1000);
  });
  try {
    return await Promise.race([work(controller.signal), timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
