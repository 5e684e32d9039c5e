/** Whole seconds that were written out: all of a time but its milliseconds. */
const seconds = new Map<number, string>();
const maxSeconds = 64;

/**
 * An instant in ISO 8601. A date takes over a microsecond to write, and a mint writes five of them (its row, record, manifest,
 * quota, log line). Nearly all of them fall into a second that was written a moment ago.
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
