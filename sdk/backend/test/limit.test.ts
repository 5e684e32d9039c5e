import { expect, test } from 'vitest';
import { createLimiter } from '../src/relay/limit.ts';

function limiterAt(perMinute: number) {
  const clock = { ms: 1_000 };
  const limiter = createLimiter({ perMinute }, () => clock.ms);
  if (limiter === undefined) throw new Error('nothing is limited');
  return { clock, limiter };
}

test('a budget is restored one minute after its first request', async () => {
  const { clock, limiter } = limiterAt(2);
  expect(await limiter('a')).toBeUndefined();
  clock.ms += 20_000;
  expect(await limiter('a')).toBeUndefined();
  expect(await limiter('a')).toBe(40);
  clock.ms += 39_500;
  expect(await limiter('a')).toBe(1);
  clock.ms += 500;
  expect([await limiter('a'), await limiter('a'), await limiter('a')]).toEqual([undefined, undefined, 60]);
});

test('refused requests do not extend the wait', async () => {
  const { clock, limiter } = limiterAt(1);
  await limiter('a');
  for (let n = 0; n < 10; n++) expect(await limiter('a')).toBe(60);
  clock.ms += 60_000;
  expect(await limiter('a')).toBeUndefined();
});

test('budgets are independent, and expire independently', async () => {
  const { clock, limiter } = limiterAt(1);
  await limiter('a');
  clock.ms += 30_000;
  await limiter('b');
  clock.ms += 30_000;
  expect(await limiter('a')).toBeUndefined();
  expect(await limiter('b')).toBe(30);
});

test('memory is bounded for any number of different callers', async () => {
  const { limiter } = limiterAt(1);
  await limiter('first');
  for (let n = 0; n < 100_001; n++) await limiter(`stranger ${n}`);
  // Evicted as the oldest entry when the maximum was reached.
  expect(await limiter('first')).toBeUndefined();
  expect(await limiter('stranger 100000')).toBe(60);
});
