import { atLeast } from '../settings.ts';

export type Limit = { perMinute: number } | ((key: string) => Promise<boolean>) | false;

/** Takes one from the budget of a key. Answers with the seconds to wait when nothing is left. */
export type Limiter = (key: string) => Promise<number | undefined>;

const windowMs = 60_000;
/** Of visitors that are counted at a time. Beyond it those who came first are forgotten first. */
const maxWindows = 100_000;

export function createLimiter(
  limit: Limit = { perMinute: 30 },
  now = () => performance.now(),
): Limiter | undefined {
  if (limit === false) return undefined;
  if (typeof limit === 'function')
    return async (key) => ((await limit(key)) === true ? undefined : windowMs / 1000);
  const perMinute = atLeast(1, 'limit.perMinute', limit.perMinute);
  // A key leaves when its window ends and comes back at the end of the map: those at its start end first.
  const windows = new Map<string, { endsAt: number; used: number }>();
  return async (key) => {
    const at = now();
    for (const [old, { endsAt }] of windows) {
      if (endsAt > at && windows.size <= maxWindows) break;
      windows.delete(old);
    }
    const window = windows.get(key) ?? { endsAt: at + windowMs, used: 0 };
    windows.set(key, window);
    if (window.used >= perMinute) return Math.max(1, Math.ceil((window.endsAt - at) / 1000));
    window.used++;
    return undefined;
  };
}
