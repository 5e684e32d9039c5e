/** Formatted times without their milliseconds, by Unix second. */
const seconds = new Map<number, string>();
const maxSeconds = 64;

/**
 * Formats a time in ISO 8601. `toISOString` takes more than a microsecond, and a mint formats five times (row, record, manifest, quota,
 * log line). Most of them are in a second that has been formatted before, so seconds are cached.
 */
export function isoTime(instant: Date | number): string {
  const ms = Number(instant);
  const second = Math.floor(ms / 1000);
  const rest = ms - second * 1000;
  return `${upTo(second)}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
}

function upTo(second: number): string {
  let text = seconds.get(second);
  if (text === undefined) {
    text = new Date(second * 1000).toISOString().slice(0, -5);
    if (seconds.size >= maxSeconds) seconds.clear();
    seconds.set(second, text);
  }
  return text;
}
