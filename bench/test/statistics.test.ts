import { describe, expect, it } from 'vitest';
import { median, medianInterval, spread } from '../statistics.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, i) => n - i);

it('the spread is half the distance between minimum and maximum', () => {
  expect(median([4, 1, 2])).toBe(2);
  expect(spread([4, 1, 2])).toBe(0.75);
});

describe('the confidence interval of a median', () => {
  // Ranks as in tables of the sign test (two-sided, at least 95 %).
  it.each([
    [6, 1, 6],
    [8, 1, 8],
    [9, 2, 8],
    [12, 3, 10],
    [15, 4, 12],
    [20, 6, 15],
    [25, 8, 18],
    [30, 10, 21],
  ])('of %i values lies between the ranks %i and %i', (n, from, to) => {
    expect(medianInterval(upTo(n))).toEqual([from, to]);
  });

  it('is unbounded when there are too few values', () => {
    expect(medianInterval([3, 1, 2])).toEqual([1, 3]);
    expect(medianInterval([1])).toEqual([1, 1]);
    expect(medianInterval([])).toEqual([Number.NaN, Number.NaN]);
  });
});
