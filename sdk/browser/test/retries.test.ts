import { expect, test } from 'vitest';
import { ExperienceError } from '../src/core/experience-error.ts';
import { retryPolicy } from '../src/core/retries.ts';

test.each([500, 503])('a %d that a relay has already retried is not retried', (status) => {
  const code = status === 500 ? 'INTERNAL' : 'UNAVAILABLE';
  const retried = new ExperienceError(code, 'Later.', { status, details: { attempts: 3 } });
  const passedOn = new ExperienceError(code, 'Later.', { status });
  expect(retryPolicy(true).next(retried)).toBeUndefined();
  expect(retryPolicy(true).next(passedOn)).toBeGreaterThan(0);
});
