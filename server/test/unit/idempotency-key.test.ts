import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idempotencyHash, readIdempotencyKey } from '../../src/minting/idempotency-key.ts';
import { ApiError } from '../../src/primitives/errors.ts';
import { unicodeText } from '../harness/texts.ts';

describe('readIdempotencyKey', () => {
  it.each([
    [[]],
    [['Host', 'example.com']],
    [['X-Idempotency-Key', 'a', 'Idempotency-Key-Id', 'b']],
    // A header value equal to the name is not the header.
    [['X-Other', 'Idempotency-Key', 'X-Next', 'a']],
  ])('returns undefined for %j', (rawHeaders) => {
    expect(readIdempotencyKey(rawHeaders)).toBeUndefined();
  });

  it.each([
    'a',
    '0',
    '8e03978e-40d5-43e8-bc93-6894a57f9324',
    '"a"',
    'a b',
    'a, b',
    ' a ',
    '~!@#$%^&*()',
    'x'.repeat(256),
  ])('returns %j unchanged', (key) => {
    expect(readIdempotencyKey(['Host', 'example.com', 'Idempotency-Key', key, 'Accept', '*/*'])).toBe(key);
  });

  it.each(['Idempotency-Key', 'idempotency-key', 'IDEMPOTENCY-KEY', 'iDeMpOtEnCy-KeY'])(
    'reads the header %s',
    (name) => {
      expect(readIdempotencyKey([name, 'a'])).toBe('a');
    },
  );

  it.each([
    ['empty', [''], /empty/],
    ['257 characters', ['x'.repeat(257)], /257 characters; 256/],
    ['very long', ['x'.repeat(100_000)], /100000 characters/],
    ['a tab', ['a\tb'], /printable ASCII/],
    ['a line feed', ['a\nb'], /printable ASCII/],
    ['a final line feed', ['a\n'], /printable ASCII/],
    ['a NUL', ['a\u0000'], /printable ASCII/],
    ['DEL', ['a\u007f'], /printable ASCII/],
    ['Latin-1', ['clé'], /printable ASCII/],
    ['beyond Latin-1', ['鍵'], /printable ASCII/],
    ['sent twice', ['a', 'b'], /2 times/],
    ['sent twice with the same value', ['a', 'a'], /2 times/],
    ['sent twice, once empty', ['', 'a'], /2 times/],
    ['sent three times', ['a', 'b', 'c'], /3 times/],
  ])('refuses a key that is %s', (_, values, rule) => {
    const names = ['Idempotency-Key', 'idempotency-key', 'IDEMPOTENCY-KEY'];
    const rawHeaders = values.flatMap((value, index) => [names[index] ?? '', value, 'X-Between', 'x']);
    const error = thrownBy(() => readIdempotencyKey(rawHeaders));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 'IDEMPOTENCY_KEY_INVALID',
      status: 400,
      details: [{ path: 'Idempotency-Key', message: expect.stringMatching(rule) }],
    });
  });

  it('does not quote the value in an error', () => {
    const error = thrownBy(() => readIdempotencyKey(['Idempotency-Key', 'sécret-value']));
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('cret-value');
  });

  it('accepts exactly the documented keys, and throws only ApiError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 300 }), unicodeText()), (key) => {
        const valid = key.length >= 1 && key.length <= 256 && [...key].every((c) => c >= ' ' && c <= '~');
        const read = () => readIdempotencyKey(['idempotency-key', key]);
        if (valid) expect(read()).toBe(key);
        else expect(thrownBy(read)).toBeInstanceOf(ApiError);
      }),
    );
  });
});

describe('idempotencyHash', () => {
  it('is the same SHA-256 in every version, so that stored launches are found after an upgrade', () => {
    expect(idempotencyHash(['/v1/sessions', 'prj_demo', 'live'], 'a')).toBe(
      '6c8ffc668d16cd8ed288d186a8ed6f0310a07487941a6fd2b02c91853aa0e598',
    );
  });

  it.each([
    [['a', 'b'], 'c', ['a'], 'bc'],
    [['a', 'b'], 'c', ['ab'], 'c'],
    [['a', 'b'], 'c', ['b', 'a'], 'c'],
    [['a', ''], 'c', ['a'], 'c'],
    [['a","b'], 'c', ['a', 'b'], 'c'],
    [['a'], '"c"', ['a'], 'c'],
    [['a'], ' c', ['a'], 'c'],
    [['a'], 'C', ['a'], 'c'],
    [[], 'c', ['c'], ''],
  ])('distinguishes %j %j from %j %j', (scope, key, otherScope, otherKey) => {
    expect(idempotencyHash(scope, key)).not.toEqual(idempotencyHash(otherScope, otherKey));
  });

  it('returns equal hashes for equal input and different ones for different input', () => {
    const input = fc.tuple(fc.array(unicodeText(), { maxLength: 4 }), unicodeText());
    fc.assert(
      fc.property(input, input, ([scope, key], [otherScope, otherKey]) => {
        expect(idempotencyHash([...scope], key)).toEqual(idempotencyHash(scope, key));
        fc.pre(JSON.stringify([scope, key]) !== JSON.stringify([otherScope, otherKey]));
        expect(idempotencyHash(scope, key)).not.toBe(idempotencyHash(otherScope, otherKey));
      }),
    );
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
