import { serverMintRequestSchema } from '@session-launch/contract/mint-requests';
import { reportSchema } from '@session-launch/contract/runtime/lifecycle';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/primitives/errors.ts';
import { largeReader, reader } from '../../src/primitives/validator.ts';

const readMint = reader(serverMintRequestSchema);
const readReport = reader(reportSchema);

/** The error with which a value is rejected. */
function refusal(
  read: (value: unknown) => unknown,
  value: unknown,
): ApiError & { details: { path: string }[] } {
  try {
    read(value);
  } catch (error) {
    if (error instanceof ApiError) return error as ApiError & { details: { path: string }[] };
    throw error;
  }
  throw new Error('the value was accepted');
}

const experienceId = 'exp_harbor_guide';
/** A body of about 64 KiB in which every value is invalid. */
const manyKeys = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`${n} ?`, 1]));

describe('a request with more than 20 violations', () => {
  test.each([
    ['metadata', readMint, { experienceId, metadata: manyKeys }],
    [
      'sessions of a report',
      readReport,
      { runtimeId: 'rt_test', sessions: Array.from({ length: 6_000 }, () => 0) },
    ],
  ])('lists the first 20, and states that there are more: %s', (_, read, value) => {
    const { details, message, code } = refusal(read, value);
    expect(code).toBe('INVALID_REQUEST');
    expect(details).toHaveLength(20);
    expect(new Set(details.map((one) => JSON.stringify(one))).size).toBe(20);
    expect(message).toBe(
      'The request is not valid: it has more than 20 violations; details lists the first 20.',
    );
    expect(JSON.stringify(details).length).toBeLessThan(4_000);
  });

  test('has short paths, even for very long names', () => {
    const metadata = { ['x'.repeat(60_000)]: 1 };
    const { details, message } = refusal(readMint, { experienceId, metadata });
    expect(details.map(({ path }) => path)).toContainEqual(expect.stringMatching(/^metadata\.x{100,300}…$/));
    expect(JSON.stringify({ details, message }).length).toBeLessThan(2_000);
  });
});

test('a request with 20 violations lists them all, under the usual message', () => {
  const sessions = Array.from({ length: 20 }, () => 0);
  const { details, message } = refusal(readReport, { runtimeId: 'rt_test', sessions });
  expect(details).toEqual(sessions.map((_, n) => ({ path: `sessions[${n}]`, message: 'must be an object' })));
  expect(message).toBe('The request is not valid; see details.');
});

test('a request with one violation has it in the message', () => {
  const { details, message } = refusal(readMint, { experienceId, speechOnly: 1 });
  expect(details).toEqual([{ path: 'speechOnly', message: 'must be a boolean' }]);
  expect(message).toBe('The request is not valid: speechOnly must be a boolean.');
});

test('a large request is validated up to its first violation', () => {
  const sessions = Array.from({ length: 6_000 }, () => 0);
  const { details } = refusal(largeReader(reportSchema), { runtimeId: 'rt_test', sessions });
  expect(details).toEqual([{ path: 'sessions[0]', message: 'must be an object' }]);
});
