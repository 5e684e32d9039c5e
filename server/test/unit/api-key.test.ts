import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bearerToken, generateApiKey, hashApiKey, keyHint, parseApiKey } from '../../src/keys/api-key.ts';
import { unicodeText } from '../harness/texts.ts';

const modes = ['test', 'live'] as const;

describe('generateApiKey', () => {
  it.each(modes)('makes %s keys of prefix, mode, secret and checksum', (mode) => {
    expect(generateApiKey('sl', mode)).toMatch(new RegExp(`^sl_${mode}_[0-9A-Za-z]{36}$`));
  });

  it('never generates the same key twice', () => {
    const keys = new Set(Array.from({ length: 2_000 }, () => generateApiKey('sl', 'test')));
    expect(keys.size).toBe(2_000);
  });

  it('uses every symbol about equally often', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 2_000; i++) {
      for (const symbol of generateApiKey('sl', 'test').slice('sl_test_'.length, -6)) {
        counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
      }
    }
    // 60,000 draws: 968 of each on average, with a standard deviation of 31. Modulo bias would give 1,170.
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 968)).toBeLessThan(190);
  });
});

describe('parseApiKey', () => {
  it.each(modes)('reads the mode of a %s key of any prefix', (mode) => {
    for (const prefix of ['sl', 'x', 'acme2', 'my_app', 'a-b', 'live', 'test_live', 'abcdefghijklmnop']) {
      expect(parseApiKey(generateApiKey(prefix, mode))).toEqual({ mode });
    }
  });

  it('still accepts keys of earlier versions', () => {
    expect(parseApiKey('sl_test_000000000000000000000000000000TaRkDY')).toEqual({ mode: 'test' });
  });

  const key = generateApiKey('sl', 'test');
  const secret = key.slice('sl_test_'.length);
  it.each([
    ['nothing', ''],
    ['no secret', 'sl_test_'],
    ['a word', 'secret'],
    ['no prefix', `_test_${secret}`],
    ['no prefix and no mode', secret],
    ['another mode', key.replace('_test_', '_live_')],
    ['an unknown mode', key.replace('_test_', '_prod_')],
    ['a mode in capitals', key.replace('_test_', '_TEST_')],
    ['another prefix', key.replace('sl_', 'sk_')],
    ['a shorter secret', key.slice(0, -1)],
    ['a longer secret', `${key}0`],
    ['a space before', ` ${key}`],
    ['a space after', `${key} `],
    ['a line feed after', `${key}\n`],
    ['two keys', `${key},${key}`],
    ['a foreign symbol', `${key.slice(0, -1)}é`],
    ['a dash in the secret', key.replace(secret.slice(0, 1), '-')],
    ['a prefix of spaces', `  _test_${secret}`],
    ['a very long prefix', `${'a'.repeat(100_000)}_test_${secret}`],
    ['a very long text', 'sl_test_'.repeat(100_000)],
  ])('refuses %s', (_, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  it('detects one wrong symbol, and two swapped ones', () => {
    const symbols = 'sl_test_'.length;
    for (let i = symbols; i < key.length; i++) {
      const other = key[i] === 'a' ? 'b' : 'a';
      expect(parseApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined();
      const next = key[i + 1];
      if (next === undefined || next === key[i]) continue;
      expect(parseApiKey(key.slice(0, i) + next + key[i] + key.slice(i + 2))).toBeUndefined();
    }
  });

  it('never throws', () => {
    const text = fc.oneof(unicodeText(), fc.stringMatching(/^[a-z]{0,4}_(test|live)_[0-9A-Za-z]{34,38}$/));
    fc.assert(
      fc.property(text, (value) => {
        expect(parseApiKey(value)).toBeUndefined();
      }),
    );
  });
});

describe('hashApiKey', () => {
  it('returns the SHA-256 of the whole key', () => {
    const key = generateApiKey('sl', 'live');
    expect(hashApiKey(key)).toEqual(createHash('sha256').update(key, 'utf8').digest());
    expect(hashApiKey(key)).not.toEqual(hashApiKey(`${key} `));
  });
});

describe('keyHint', () => {
  it('shows prefix, mode and the last four characters', () => {
    expect(keyHint(`sl_test_${'0'.repeat(32)}Q3fk`)).toBe('sl_test_…Q3fk');
    expect(keyHint(`acme_live_${'0'.repeat(32)}abcd`)).toBe('acme_live_…abcd');
  });

  it('shows nothing of the secret', () => {
    const key = generateApiKey('sl', 'live');
    expect(keyHint(key)).toHaveLength('sl_live_…0000'.length);
    expect(key.endsWith(keyHint(key).slice(-4))).toBe(true);
  });

  it.each(['', 'abc', 'a password', 'sl_test_short'])('shows nothing of %j, which is not a key', (text) => {
    expect(keyHint(text)).toBe('…');
  });
});

describe('bearerToken', () => {
  it.each([
    ['Bearer sl_test_abc', 'sl_test_abc'],
    ['bearer sl_test_abc', 'sl_test_abc'],
    ['BEARER sl_test_abc', 'sl_test_abc'],
    ['bEaReR sl_test_abc', 'sl_test_abc'],
    ['Bearer   sl_test_abc', 'sl_test_abc'],
    ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
  ])('reads %j', (authorization, token) => {
    expect(bearerToken(authorization)).toBe(token);
  });

  it.each([
    undefined,
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Bearer  ',
    'sl_test_abc',
    'Basic sl_test_abc',
    'Bearersl_test_abc',
    'Bearer:sl_test_abc',
    'Bearer\tsl_test_abc',
    'Bearer\u00a0sl_test_abc',
    ' Bearer sl_test_abc',
    'Bearer sl_test_abc ',
    'Bearer sl_test_abc\n',
    'Bearer sl_test_abc def',
    'Bearer sl_test_abc,',
    'Bearer sl_test_abc, Bearer def',
    'Bearer sl_test_abc;x=1',
    'Bearer "sl_test_abc"',
    'Bearer <sl_test_abc>',
    'Bearer ==',
    'Bearer a=b',
    'Bearer clé',
    'Token Bearer abc',
    'Bearer Bearer abc',
  ])('returns undefined for %j', (authorization) => {
    expect(bearerToken(authorization)).toBeUndefined();
  });

  it('is fast with very long headers and never throws', () => {
    const start = performance.now();
    bearerToken(`Bearer ${' '.repeat(1_000_000)}`);
    bearerToken(`Bearer ${'a'.repeat(1_000_000)} b`);
    bearerToken(`Bearer a${'='.repeat(1_000_000)}b`);
    // Quadratic time would take minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
    fc.assert(
      fc.property(unicodeText(), (text) => {
        expect(bearerToken(`Bearer ${text}`) ?? text).toBe(text);
      }),
    );
  });
});
