export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which so large a part of the others lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}

/** Half of the distance between the extremes, as a part of the median: how far a single round may be off. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values);
}

/**
 * Where the median of ever more rounds would lie, with 95 % confidence: as many values are left out at both ends as a fair
 * coin allows. Fewer than six values cannot say so much; then these are the extremes.
 */
export function medianInterval(values: readonly number[]): [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const n = sorted.length;
  let [leftOut, term, tail] = [0, 0.5 ** n, 0];
  while (tail + term <= 0.025) {
    tail += term;
    leftOut++;
    term *= (n - leftOut + 1) / leftOut;
  }
  const first = Math.max(leftOut - 1, 0);
  return [sorted[first] ?? Number.NaN, sorted[n - 1 - first] ?? Number.NaN];
}

/** How much y grows for each unit of x, by least squares; not a number for fewer than two points. */
export function slope(points: readonly { x: number; y: number }[]): number {
  const mean = (of: 'x' | 'y') => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean('x'), mean('y')];
  const rise = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  const run = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return rise / run;
}
