const goodFor = 500;

/**
 * A ping that many may ask for: one is under way at a time, and its answer serves everybody for half a second. Health
 * checks are open to all, and must not be a way to keep the database busy.
 */
export function sharedPing(ping: () => Promise<void>): () => Promise<void> {
  let latest: Promise<void> | undefined;
  return () => {
    if (latest === undefined) {
      latest = ping();
      const forget = () => {
        latest = undefined;
      };
      latest.then(() => setTimeout(forget, goodFor).unref(), forget);
    }
    return latest;
  };
}
