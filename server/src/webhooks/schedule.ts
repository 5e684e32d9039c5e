const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds after each failed attempt until the next one. */
export const retryAfterMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Maximum share by which a delay is shortened or extended, so that events that failed together are not all sent at the same time again. */
const jitter = 0.1;
/** Maximum milliseconds that a receiver can ask for with Retry-After. */
const maxAskedMs = 24 * hour;

/**
 * Milliseconds until an event is sent again that has failed this many times, or `undefined` if it was the last attempt. A receiver may ask
 * for a later one.
 */
export function retryDelay(failures: number, askedMs = 0, random = Math.random()): number | undefined {
  const delay = retryAfterMs[failures - 1];
  if (delay === undefined) return undefined;
  return Math.max(Math.round(delay * (1 - jitter + 2 * jitter * random)), askedMs);
}

/** The delay in a Retry-After header: seconds, or a date in one of the forms of HTTP. */
export function askedDelay(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * second : Date.parse(text) - now;
  return Number.isNaN(ms) || ms <= 0 ? undefined : Math.min(ms, maxAskedMs);
}
