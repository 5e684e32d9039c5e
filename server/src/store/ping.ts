const goodFor = 500;

/**
 * A ping that many may ask for: one is under way at a time, and its answer serves everybody for half a second. Health
 * checks are open to all, and must not be a way to keep the database busy, whether it is well or not.
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
