import { expect, test } from 'vitest';
import { askedDelay, retryDelay } from '../../src/webhooks/schedule.ts';

const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

test('retries follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, ± 10 %', () => {
  for (const [i, s] of seconds.entries()) {
    expect(retryDelay(i + 1, 0, 0)).toBe(s * 900);
    expect(retryDelay(i + 1, 0, 0.5)).toBe(s * 1_000);
    expect(retryDelay(i + 1, 0, 1)).toBe(s * 1_100);
  }
  expect(retryDelay(seconds.length + 1)).toBeUndefined();
});

test('Retry-After makes a retry later, never earlier, and adds none', () => {
  expect(retryDelay(1, 60_000)).toBe(60_000);
  expect(retryDelay(2, 60_000, 0)).toBe(270_000);
  expect(retryDelay(10, 60_000)).toBeUndefined();
});

test('Retry-After is a number of seconds or a date, at most a day', () => {
  const now = Date.parse('2026-03-01T09:30:00Z');
  expect(askedDelay('7', now)).toBe(7_000);
  expect(askedDelay('Sun, 01 Mar 2026 09:31:00 GMT', now)).toBe(60_000);
  expect(askedDelay('9999999999', now)).toBe(86_400_000);
  for (const text of [undefined, '', 'soon', '-5', '0', 'Sun, 01 Mar 2026 09:29:00 GMT'])
    expect(askedDelay(text, now)).toBeUndefined();
});
