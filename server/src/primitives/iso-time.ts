/** ISO 8601 text of recent whole seconds, up to the decimal point. */
const seconds = new Map<number, string>();
const maxSeconds = 64;

/**
 * Formats an instant in ISO 8601. `toISOString` takes over a microsecond, and a mint formats five times (row, record, manifest, quota,
 * log line), nearly all of them within the same second, whose text is cached.
 */
export function isoTime(instant: Date | number): string {
  const ms = Number(instant);
  const second = Math.floor(ms / 1000);
  const rest = ms - second * 1000;
  return `${wholeSeconds(second)}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
}

function wholeSeconds(second: number): string {
  let text = seconds.get(second);
  if (text === undefined) {
    text = new Date(second * 1000).toISOString().slice(0, -5);
    if (seconds.size >= maxSeconds) seconds.clear();
    seconds.set(second, text);
  }
  return text;
}
