/** Milliseconds to wait before each attempt to reconnect; the last value applies to all further attempts. */
const delaysMs = [0, 300, 1200, 2700, 4800, 7000];
export const giveUpAfterMs = 45_000;

/** Delay in milliseconds with a jitter of ±20 %, so that the clients of a restarted runtime do not reconnect at the same time. */
export function reconnectDelay(tries: number, random: () => number = Math.random): number {
  const delay = delaysMs[Math.min(tries, delaysMs.length - 1)]!;
  return delay * (0.8 + 0.4 * random());
}
