import { expect, test } from 'vitest';
import { bucketCount, bucketOf, quantile } from '../../src/statistics/durations.ts';

const histogram = (milliseconds: number[]) => {
  const counts = new Array<number>(bucketCount).fill(0);
  for (const ms of milliseconds) counts[bucketOf(ms / 1000)]!++;
  return counts.map((count, bucket) => ({ bucket, count }));
};

test('every duration has a bucket', () => {
  for (const seconds of [-1, 0, 1e-9, 0.001, 1, 31, 1e9, Number.MAX_VALUE]) {
    expect(bucketOf(seconds)).toBeGreaterThanOrEqual(0);
    expect(bucketOf(seconds)).toBeLessThan(bucketCount);
  }
});

test('quantiles are at most a fifth off', () => {
  const buckets = histogram(Array.from({ length: 1000 }, (_, n) => (n + 1) / 10));
  for (const q of [0.01, 0.5, 0.95, 0.99, 1]) {
    expect(quantile(buckets, q)! / (q * 100)).toBeGreaterThan(0.8);
    expect(quantile(buckets, q)! / (q * 100)).toBeLessThan(1.2);
  }
  expect(quantile(histogram([]), 0.5)).toBeUndefined();
});
