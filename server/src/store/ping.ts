/** Milliseconds for which a result is reused. */
const goodFor = 500;

/**
 * A shared ping: at most one is in flight, and its result is reused for half a second. Health checks are public and must not be usable
 * to load the database, whether it is healthy or not.
 */
export function sharedPing(ping: () => Promise<void>): () => Promise<void> {
  let latest: Promise<void> | undefined;
  return () => {
    if (latest === undefined) {
      latest = ping();
      const forget = () => {
        latest = undefined;
      };
      const forgetSoon = () => setTimeout(forget, goodFor).unref();
      latest.then(forgetSoon, forgetSoon);
    }
    return latest;
  };
}
