import { expect, test } from 'vitest';
import { ExperienceError } from '../src/core/experience-error.ts';
import { retryDelays } from '../src/core/retries.ts';

test.each([500, 503])('a %d that a relay has already retried is not retried', (status) => {
  const code = status === 500 ? 'INTERNAL' : 'UNAVAILABLE';
  const retried = new ExperienceError(code, 'Later.', { status, details: { attempts: 3 } });
  const passedOn = new ExperienceError(code, 'Later.', { status });
  expect(retryDelays(true)(retried)).toBeUndefined();
  expect(retryDelays(true)(passedOn)).toBeGreaterThan(0);
});
