/** How long to wait before each try to get a lost connection back. */
const delaysMs = [0, 300, 1200, 2700, 4800, 7000];
export const giveUpAfterMs = 45_000;

/** With jitter, so that the clients of a restarted runtime do not come all at once. */
export function reconnectDelay(tries: number, random: () => number = Math.random): number {
  const delay = delaysMs[Math.min(tries, delaysMs.length - 1)]!;
  return delay * (0.8 + 0.4 * random());
}
