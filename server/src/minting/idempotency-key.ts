import type { Violation } from '@session-launch/contract/errors';
import { ApiError } from '../primitives/errors.ts';
import { sha256Hex } from '../primitives/sha256.ts';

const header = 'idempotency-key';
const maxLength = 256;

/**
 * Returns the `Idempotency-Key` of a request. Reads the raw headers, because Node joins repeated ones with a comma, which is valid in a
 * key. The value is opaque: it is neither trimmed nor unquoted.
 */
export function readIdempotencyKey(rawHeaders: readonly string[]): string | undefined {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === header.length && name.toLowerCase() === header) values.push(rawHeaders[i + 1]!);
  }
  const [key] = values;
  if (key === undefined) return undefined;
  const problem = problemWith(values.length, key);
  if (problem !== undefined) {
    const violation: Violation = { path: 'Idempotency-Key', message: problem };
    throw new ApiError('IDEMPOTENCY_KEY_INVALID', { details: [violation] });
  }
  return key;
}

/** The message never contains the value: anyone who knows a key can replay its launch, and responses are often logged. */
function problemWith(count: number, key: string): string | undefined {
  if (count > 1) return `was sent ${count} times; send it once`;
  if (key === '') return `is empty; send 1 to ${maxLength} characters, or leave the header out`;
  if (key.length > maxLength) return `has ${key.length} characters; ${maxLength} are allowed`;
  if (!/^[\x20-\x7e]*$/.test(key)) return 'has characters other than printable ASCII (0x20 to 0x7e)';
  return undefined;
}

/** The hex digest stored instead of the key. JSON delimits the parts, so that two different scopes never hash alike. */
export function idempotencyHash(scope: readonly string[], key: string): string {
  return sha256Hex(JSON.stringify([scope, key]));
}
