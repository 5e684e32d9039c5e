import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../src/minting/fingerprint.ts';

function ofText(json: string): string {
  return fingerprint(JSON.parse(json));
}

describe('fingerprint', () => {
  it.each([
    ['key order', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['key order inside', '{"x":{"a":1,"b":[{"c":1,"d":2}]}}', '{"x":{"b":[{"d":2,"c":1}],"a":1}}'],
    ['white space', '{"a":[1,2]}', ' {\n\t"a" : [ 1 , 2 ]\r\n} '],
    ['a fraction of zero', '{"a":1.0}', '{"a":1}'],
    ['an exponent', '{"a":1e2}', '{"a":100}'],
    ['an exponent in capitals', '{"a":1E+2}', '{"a":100.00}'],
    ['the sign of zero', '{"a":-0}', '{"a":0}'],
    ['digits beyond double precision', '{"a":0.1}', '{"a":0.1000000000000000055511151231257827}'],
    ['escapes', '{"a":"\\u00e9\\/"}', '{"a":"é/"}'],
    ['escapes in keys', '{"\\u0061":1}', '{"a":1}'],
    ['an escaped pair', '{"a":"\\ud83d\\ude00"}', '{"a":"😀"}'],
    ['an earlier duplicate key', '{"a":1,"a":2}', '{"a":2}'],
    ['the order of a __proto__ key', '{"__proto__":{"b":1},"a":2}', '{"a":2,"__proto__":{"b":1}}'],
  ])('ignores %s', (_, one, other) => {
    expect(ofText(one)).toBe(ofText(other));
  });

  it.each([
    ['false and absent', '{"speechOnly":false}', '{}'],
    ['null and absent', '{"locale":null}', '{}'],
    ['null and false', '{"a":null}', '{"a":false}'],
    ['a number and its text', '{"a":1}', '{"a":"1"}'],
    ['true and its text', '{"a":true}', '{"a":"true"}'],
    ['empty object and array', '{"a":{}}', '{"a":[]}'],
    ['the order of an array', '{"a":[1,2]}', '{"a":[2,1]}'],
    ['the case of text', '{"a":"en-US"}', '{"a":"en-us"}'],
    ['the case of keys', '{"a":1}', '{"A":1}'],
    ['spaces in text', '{"a":"b"}', '{"a":"b "}'],
    ['composed and decomposed text', '{"a":"\\u00e9"}', '{"a":"e\\u0301"}'],
    ['neighbouring doubles', '{"a":0.1}', '{"a":0.10000000000000002}'],
    ['a __proto__ key and none', '{"__proto__":{"a":1}}', '{}'],
    ['__proto__ keys with different values', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['a __proto__ key and its content', '{"__proto__":{"a":1}}', '{"a":1}'],
    ['__proto__ keys inside', '{"x":{"__proto__":1}}', '{"x":{}}'],
    ['a constructor key and none', '{"constructor":{"prototype":{}}}', '{}'],
    ['a toJSON key and none', '{"toJSON":1}', '{}'],
    ['a key and its value', '{"a":"b"}', '{"b":"a"}'],
    ['text that looks like JSON', '{"a":"1,\\"b\\":2"}', '{"a":1,"b":2}'],
  ])('distinguishes %s', (_, one, other) => {
    expect(ofText(one)).not.toBe(ofText(other));
  });

  it.each([
    ['{"b":1.50,"a":[true,null,"\\u20ac"]}', '{"a":[true,null,"€"],"b":1.5}'],
    [
      '{"\\ufb33":1,"\\ud83d\\ude00":2,"\\u00f6":3,"1":4,"\\r":5,"":6}',
      '{"":6,"\\r":5,"1":4,"ö":3,"😀":2,"\ufb33":1}',
    ],
    ['[1e21,1e-7,333333333.33333329,4.50,2e-3]', '[1e+21,1e-7,333333333.3333333,4.5,0.002]'],
    ['{"a":1,"__proto__":{"z":1,"b":2}}', '{"__proto__":{"b":2,"z":1},"a":1}'],
    ['"\\u000f\\u000a\\u0041\\u0022\\u005c"', '"\\u000f\\nA\\"\\\\"'],
  ])('hashes %s in the RFC 8785 form %s', (json, canonical) => {
    expect(ofText(json)).toBe(createHash('sha256').update(canonical).digest('hex'));
  });

  it('does not depend on the order in which keys were added', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const json = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
        const reversed = Object.fromEntries(Object.entries(json).reverse());
        expect(fingerprint(reversed)).toEqual(fingerprint(json));
      }),
    );
  });

  it('hashes the same form as another implementation of RFC 8785', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value));
        expect(fingerprint(json)).toBe(createHash('sha256').update(canonicalize(json)!).digest('hex'));
      }),
    );
  });

  it('accepts 32 levels', () => {
    const deep = '['.repeat(32) + ']'.repeat(32);
    expect(ofText(deep)).toHaveLength(64);
  });

  it('refuses values that no JSON parser returns', () => {
    expect(() => fingerprint(undefined)).toThrow(TypeError);
  });
});
