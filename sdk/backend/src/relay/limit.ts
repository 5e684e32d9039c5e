import { atLeast } from '../settings.ts';

export type Limit = { perMinute: number } | ((key: string) => Promise<boolean>) | false;

/** Counts one request for a key. Resolves to the seconds until the next window if the limit is reached, otherwise to undefined. */
export type Limiter = (key: string) => Promise<number | undefined>;

const windowMs = 60_000;
/** Maximum number of keys that are counted at a time. Beyond it, the oldest windows are evicted. */
const maxWindows = 100_000;

export function createLimiter(
  limit: Limit = { perMinute: 30 },
  now = () => performance.now(),
): Limiter | undefined {
  if (limit === false) return undefined;
  if (typeof limit === 'function')
    return async (key) => ((await limit(key)) === true ? undefined : windowMs / 1000);
  const perMinute = atLeast(1, 'limit.perMinute', limit.perMinute);
  // Ordered by `endsAt`: all windows have the same length, and a key is deleted when its window ends and then inserted at the end.
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
