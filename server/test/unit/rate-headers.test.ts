import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, rateLimitHeaders } from '../../src/limits/headers.ts';
import { dayBudget, quotaDay } from '../../src/limits/quota.ts';

const client: Budget = { policy: 'client', limit: 30, windowSeconds: 60, remaining: 29, resetSeconds: 60 };
const project: Budget = { policy: 'project', limit: 600, windowSeconds: 60, remaining: 0, resetSeconds: 1 };

describe('rateLimitHeaders', () => {
  it('returns no headers without a limit', () => {
    expect(rateLimitHeaders([])).toEqual({});
  });

  it('lists each policy with its quota and window, and the remaining points with their reset', () => {
    expect(rateLimitHeaders([client])).toEqual({
      'RateLimit-Policy': '"client";q=30;w=60',
      RateLimit: '"client";r=29;t=60',
    });
  });

  it('lists several policies in the order of their checks', () => {
    const day = dayBudget(10_000, 12, new Date('2031-05-06T23:00:00Z'));
    expect(rateLimitHeaders([client, project, day])).toEqual({
      'RateLimit-Policy': '"client";q=30;w=60, "project";q=600;w=60, "day";q=10000;w=86400',
      RateLimit: '"client";r=29;t=60, "project";r=0;t=1, "day";r=9988;t=3600',
    });
  });
});

describe('the daily quota', () => {
  it.each([
    ['2031-05-06T00:00:00.000Z', '2031-05-06', 86_400],
    ['2031-05-06T00:00:00.999Z', '2031-05-06', 86_400],
    ['2031-05-06T12:00:00.000Z', '2031-05-06', 43_200],
    ['2031-05-06T23:59:59.000Z', '2031-05-06', 1],
    ['2031-05-06T23:59:59.999Z', '2031-05-06', 1],
    ['2031-05-06T23:30:00-05:00', '2031-05-07', 70_200],
    ['2032-02-29T06:00:00Z', '2032-02-29', 64_800],
  ])('%s counts for %s and is reset in %i s', (at, day, seconds) => {
    expect(quotaDay(new Date(at))).toBe(day);
    expect(dayBudget(5, 0, new Date(at)).resetSeconds).toBe(seconds);
  });

  it.each([
    [10, 0, 10],
    [10, 3, 7],
    [10, 10, 0],
    [10, 12, 0],
    [0, 0, 0],
  ])('of %i with %i used leaves %i', (limit, used, remaining) => {
    expect(dayBudget(limit, used, new Date())).toMatchObject({ policy: 'day', limit, remaining });
  });

  it('is reset within the day, after at least a second, and the next day starts there', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }), (at) => {
        const { resetSeconds } = dayBudget(1, 0, at);
        expect(Number.isInteger(resetSeconds)).toBe(true);
        expect(resetSeconds).toBeGreaterThanOrEqual(1);
        expect(resetSeconds).toBeLessThanOrEqual(86_400);
        const then = new Date(at.getTime() + resetSeconds * 1000);
        expect(quotaDay(then) > quotaDay(at)).toBe(true);
        expect(quotaDay(new Date(at.getTime() + (resetSeconds - 1) * 1000))).toBe(quotaDay(at));
      }),
    );
  });
});
