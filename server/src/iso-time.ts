/**
 * Writes instants (milliseconds) out as ISO 8601, and remembers the last one: under load many fall into the same
 * millisecond, and a date is slow to write.
 */
export function isoWriter(): (instant: number) => string {
  let last = Number.NaN;
  let text = '';
  return (instant) => {
    if (instant !== last) {
      text = new Date(instant).toISOString();
      last = instant;
    }
    return text;
  };
}
