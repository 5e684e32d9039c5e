/** Buckets of the histogram, from 0.5 ms to 32 s: the upper bound of each is 2^(1/4) times the lower one. */
export const bucketCount = 64;
const perDoubling = 4;
const firstMs = 0.5;

export function bucketOf(seconds: number): number {
  const bucket = Math.floor(Math.log2((seconds * 1000) / firstMs) * perDoubling);
  return bucket > 0 ? Math.min(bucket, bucketCount - 1) : 0;
}

/** The quantile `q` of a histogram in milliseconds, interpolated within its bucket; `undefined` for an empty one. */
export function quantile(
  buckets: readonly { bucket: number; count: number }[],
  q: number,
): number | undefined {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  let rest = q * total;
  for (const { bucket, count } of [...buckets].sort((a, b) => a.bucket - b.bucket)) {
    if (rest <= count && count > 0) {
      const ms = firstMs * 2 ** ((bucket + rest / count) / perDoubling);
      return Math.round(ms * 10) / 10;
    }
    rest -= count;
  }
  return undefined;
}
