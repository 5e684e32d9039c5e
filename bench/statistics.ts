export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value at the given rank, from 0 to 1, of the sorted values; NaN if there are none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}

/** Half of the range, relative to the median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values);
}

/**
 * The 95 % confidence interval of the median, by the sign test. With fewer than six values it cannot be reached; the result is then the
 * minimum and the maximum.
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

/** Slope of y over x by least squares; NaN for fewer than two points. */
export function slope(points: readonly { x: number; y: number }[]): number {
  const mean = (of: 'x' | 'y') => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean('x'), mean('y')];
  const rise = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  const run = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return rise / run;
}
