/** Work that was not done in time. */
export class TimeUp extends Error {
  constructor(seconds: number) {
    super(`not done within ${seconds} seconds`);
    this.name = 'TimeUp';
  }
}

/**
 * Waits for work, but not for ever. Timer and controller are held here, and the work is raced against them: a `fetch`
 * whose signal nobody holds was seen to forget it and to hang for good. The timer also keeps the process alive until
 * there is something to say.
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
