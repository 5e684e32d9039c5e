import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requireBearer } from '../../src/http/guards/bearer.ts';
import { ApiError } from '../../src/primitives/errors.ts';

const token = 'a-token-of-an-operator';
const admit = requireBearer(token, 'ADMIN_TOKEN_INVALID');

test.each([
  ['nothing', undefined],
  ['an empty header', ''],
  ['the scheme alone', 'Bearer'],
  ['an empty token', 'Bearer '],
  ['the first letter', `Bearer ${token[0]}`],
  ['all but the last letter', `Bearer ${token.slice(0, -1)}`],
  ['all but the first letter', `Bearer ${token.slice(1)}`],
  ['one letter more', `Bearer ${token}r`],
  ['another last letter', `Bearer ${token.slice(0, -1)}s`],
  ['another first letter', `Bearer b${token.slice(1)}`],
  ['another letter of the same byte length', `Bearer ${token.replace('o', 'O')}`],
  ['wrong letters of the same length', `Bearer ${'x'.repeat(token.length)}`],
  ['very many letters', `Bearer ${token.repeat(500)}`],
  ['the token twice', `Bearer ${token} ${token}`],
  ['a list', `Bearer ${token},${token}`],
  ['another scheme', `Basic ${token}`],
  ['no scheme', token],
  ['non-ASCII letters', `Bearer ${token}é`],
])('%s is refused with the same error', (_name, header) => {
  let refusal: unknown;
  try {
    admit(header);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(ApiError);
  const { code, message, details, headers, cause } = refusal as ApiError;
  expect({ code, message, details, headers, cause }).toEqual({
    code: 'ADMIN_TOKEN_INVALID',
    message: 'A valid admin token is required: send Authorization: Bearer <ADMIN_TOKEN>.',
    details: undefined,
    headers: { 'WWW-Authenticate': 'Bearer' },
    cause: undefined,
  });
});

test.each(['Bearer', 'bearer', 'BEARER'])('the token is accepted after %s', (scheme) => {
  expect(() => admit(`${scheme} ${token}`)).not.toThrow();
});

test('tokens are compared by hash in constant time', () => {
  const source = readFileSync(new URL('../../../process/src/bearer-token.ts', import.meta.url), 'utf8');
  expect(source).toContain('const sent = digest(');
  expect(source).toContain('expected.filter((one) => timingSafeEqual(sent, one))');
  expect(source).not.toMatch(/sent\s*[!=]==?\s*token|token\s*[!=]==?\s*sent/);
});
