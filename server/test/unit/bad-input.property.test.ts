import { BlockList, isIP } from 'node:net';
import { Readable } from 'node:stream';
import { keyRequestSchema } from '@session-launch/contract/admin/keys';
import { sessionQuerySchema } from '@session-launch/contract/admin/sessions';
import { serverMintRequestSchema } from '@session-launch/contract/mint-requests';
import { clientAddress, clientNetwork } from '@session-launch/process/client-address';
import { experience, project } from '@session-launch/testing/world.ts';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { expiryOf, pageAndFilter } from '../../src/admin/requests.ts';
import { ProjectFileError } from '../../src/documents/problem.ts';
import { parseProjectFile } from '../../src/documents/project-file.ts';
import { parseJson, readJsonBody } from '../../src/http/bodies/json-body.ts';
import { requireBearer } from '../../src/http/guards/bearer.ts';
import { bearerToken, generateApiKey, parseApiKey } from '../../src/keys/api-key.ts';
import { fingerprint } from '../../src/minting/fingerprint.ts';
import { readIdempotencyKey } from '../../src/minting/idempotency-key.ts';
import { readFromBackend, readFromPage } from '../../src/minting/mint-request.ts';
import { scrubbed } from '../../src/observe/log.ts';
import { corsHeaders } from '../../src/origins/cors.ts';
import { allows, nearMiss, normaliseEntry, parseOrigin } from '../../src/origins/origin.ts';
import { ApiError } from '../../src/primitives/errors.ts';
import { etagOf, matchesEtag } from '../../src/primitives/etag.ts';
import { isId } from '../../src/primitives/ids.ts';
import { bestAcceptedLanguage, canonicalLocale } from '../../src/primitives/locale.ts';
import { reader } from '../../src/primitives/validator.ts';
import { almost, casesWanted, hostileJson, hostileText, Tally } from '../harness/generate.ts';

const tally = new Tally();

/** Returns the parsed value, or `undefined` for one of these error codes. Any other error fails the test. */
function outcome<T>(act: () => T, ...codes: string[]): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(codes).toContain(error.code);
    expect(error.status).toBeLessThan(500);
    return undefined;
  }
}

const untouched = JSON.stringify(
  [Object.prototype, Array.prototype, Function.prototype].map((prototype) =>
    Object.getOwnPropertyNames(prototype).sort(),
  ),
);
afterEach(() => {
  const now = [Object.prototype, Array.prototype, Function.prototype].map((prototype) =>
    Object.getOwnPropertyNames(prototype).sort(),
  );
  expect(JSON.stringify(now)).toBe(untouched);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

describe('request bodies', () => {
  test('are parsed as JSON.parse does, or refused', () =>
    tally.holds(2_000, fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.json(), hostileText), (input) => {
      const bytes = Buffer.from(input as string);
      const value = outcome(() => parseJson(bytes), 'INVALID_JSON', 'INVALID_REQUEST');
      if (value !== undefined) expect(value).toEqual(JSON.parse(bytes.toString()));
    }));

  test('treat names of Object properties as data', () =>
    tally.holds(2_000, hostileJson, (value) => {
      const text = JSON.stringify(value);
      const parsed = outcome(() => parseJson(Buffer.from(text)), 'INVALID_REQUEST');
      if (parsed === undefined) return;
      expect(JSON.stringify(parsed)).toBe(text);
      expect(fingerprint(parsed)).toEqual(fingerprint(JSON.parse(text)));
    }));

  test('are limited in nesting before the parser can overflow', () =>
    tally.holds(200, fc.tuple(fc.integer({ min: 1, max: 20_000 }), fc.boolean()), ([depth, list]) => {
      const text = list
        ? '['.repeat(depth) + ']'.repeat(depth)
        : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      const value = outcome(() => parseJson(Buffer.from(text)), 'INVALID_REQUEST');
      expect(value !== undefined).toBe(depth <= 33);
    }));

  const media = almost(
    'application/json',
    'APPLICATION/JSON',
    ' ',
    ';',
    'charset=utf-8',
    'text/plain',
    ',',
    '+',
    '/',
  );
  test('have a JSON media type or are refused', () =>
    tally.holds(1_500, media, async (type) => {
      const request = Object.assign(Readable.from([Buffer.from('{}')]), {
        headers: { 'content-type': type, 'content-length': '2' },
      });
      const isJson = type.split(';', 1)[0]!.trim().toLowerCase() === 'application/json';
      const read = await readJsonBody(request as never).catch((error: ApiError) => error.code);
      expect(read).toEqual(isJson ? {} : 'UNSUPPORTED_MEDIA_TYPE');
    }));

  const readers = [readFromBackend, readFromPage];
  const fields = fc.constantFrom(
    ...Object.keys(serverMintRequestSchema.properties),
    '__proto__',
    'constructor',
  );
  const entries = fc.array(
    fc.tuple(fields, fc.oneof(hostileJson, fc.constantFrom('en', 'exp_1', 'auto', true))),
    {
      maxLength: 5,
    },
  );
  test('of a mint have the fields of its endpoint with their types, or are refused', () =>
    tally.holds(2_000, entries, (sent) => {
      const body = JSON.parse(
        `{"experienceId":"exp_1"${sent.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join('')}}`,
      );
      for (const read of readers) {
        const request = outcome(() => read(body), 'INVALID_REQUEST', 'LOCALE_CONFLICT');
        if (request === undefined) continue;
        expect(request.experienceId).toMatch(/^exp_/);
        expect(request.given.speechOnly).toBe(body.speechOnly ?? false);
        const { userId, locales, given } = request;
        const texts = [userId ?? undefined, given.processorId, request.mode, ...Object.values(locales)];
        for (const text of texts) expect(['string', 'undefined']).toContain(typeof text);
        for (const one of [request, locales, given])
          expect(Object.getPrototypeOf(one)).toBe(Object.prototype);
      }
    }));
});

describe('headers', () => {
  const key = generateApiKey('sl', 'test');
  const authorization = almost(
    'Bearer',
    'bearer',
    'Basic',
    ' ',
    '\t',
    key,
    key.slice(0, -1),
    ',',
    '=',
    ':',
    'a',
  );
  test('Authorization yields the one key that was sent, or undefined', () =>
    tally.holds(1_500, authorization, (header) => {
      const token = bearerToken(header);
      if (token !== undefined) expect(header.replace(/^bearer +/i, '')).toBe(token);
      if (token !== undefined && parseApiKey(token)) expect(token).toBe(key);
    }));

  const admit = requireBearer('a-token-of-an-operator', 'ADMIN_TOKEN_INVALID');
  const operators = almost('Bearer', ' ', 'a-token-of-an-operator', 'a-token-of-an-operato', 'r', '=', '\t');
  test('Authorization admits an operator only with the token', () =>
    tally.holds(1_000, operators, (header) => {
      const admitted = outcome(() => admit(header) ?? true, 'ADMIN_TOKEN_INVALID') === true;
      expect(admitted).toBe(
        /^bearer +a-token-of-an-operator$/i.test(header) && header.endsWith('a-token-of-an-operator'),
      );
    }));

  test('Idempotency-Key is taken unchanged and once, or refused', () =>
    tally.holds(1_000, fc.array(hostileText, { maxLength: 2 }), (values) => {
      const headers = values.flatMap((value) => ['Idempotency-Key', value]);
      const read = outcome(() => readIdempotencyKey(headers), 'IDEMPOTENCY_KEY_INVALID');
      if (read !== undefined) expect([read]).toEqual(values);
    }));

  const languages = almost(
    'en',
    'pt-BR',
    'zh-Hant',
    'x-private',
    'und',
    '*',
    ',',
    ';',
    'q=',
    '0.5',
    '1',
    '0',
    ' ',
    '-',
  );
  test('Accept-Language yields a canonical tag or undefined', () =>
    tally.holds(1_500, languages, (header) => {
      const best = bestAcceptedLanguage(header);
      if (best !== undefined) expect(Intl.getCanonicalLocales(best)).toEqual([best]);
    }));

  const tag = etagOf('content');
  const tags = almost(tag, `W/${tag}`, '"other"', ',', ' ', '*', 'W/', '"', tag.slice(0, -1));
  test('If-None-Match matches only the tag of the content', () =>
    tally.holds(1_000, tags, (header) => {
      if (matchesEtag(header, tag)) expect(header.includes(tag) || header.trim() === '*').toBe(true);
      if (header.split(',').some((part) => part.trim().replace(/^W\//, '') === tag))
        expect(matchesEtag(header, tag)).toBe(true);
    }));

  const proxies = new BlockList();
  proxies.addSubnet('10.0.0.0', 8, 'ipv4');
  const hops = almost(
    '10.0.0.1',
    '10.9.9.9',
    '203.0.113.7',
    '2001:db8::1',
    '[::1]:80',
    '::ffff:10.0.0.1',
    ',',
    ' ',
    'unknown',
  );
  test('X-Forwarded-For is used from trusted proxies only, and yields an address', () =>
    tally.holds(1_500, hops, (header) => {
      expect(clientAddress('198.51.100.1', header, proxies)).toBe('198.51.100.1');
      expect(clientAddress('10.0.0.1', header, undefined)).toBe('10.0.0.1');
      const address = clientAddress('10.0.0.1', header, proxies);
      expect(isIP(address), address).not.toBe(0);
      expect(clientNetwork(address)).toMatch(/^[0-9a-f:./]+$/);
      // The last hop that is not a proxy is used; entries to its left have no effect.
      const near = header.split(',').at(-1)?.trim() ?? '';
      if (isIP(near) !== 0 && !/10\.|%/.test(near)) expect(address).toBe(near.toLowerCase());
    }));
});

describe('origins', () => {
  const entries = [
    'https://example.com',
    'https://*.example.com',
    'https://*.example.com:8443',
    'http://localhost:3000',
  ];
  const origin = almost(
    'https://',
    'http://',
    'www',
    '.',
    'example.com',
    'localhost',
    ':',
    '3000',
    '8443',
    '*',
    '/',
    '@',
    'xn--',
  );
  /** The same rule as a pattern: an exact entry, or one label before a wildcard's suffix. */
  const rule =
    /^(https:\/\/example\.com|https:\/\/[a-z0-9_-]+\.example\.com(:8443)?|http:\/\/localhost:3000)$/;
  test('are admitted exactly by the rule', () =>
    tally.holds(2_000, origin, (value) => {
      const admitted = allows(entries, value);
      expect(admitted).toBe(rule.test(value) && new URL(value).origin === value);
      if (admitted) expect(parseOrigin(value)).toBe(value);
      const hint = nearMiss(entries, value);
      if (hint !== undefined) expect(hint).not.toMatch(/example|localhost/);
      expect([undefined, value]).toContain(corsHeaders(value)['Access-Control-Allow-Origin']);
    }));

  test('of an allowlist are normalised, or refused with a reason that quotes no password', () =>
    tally.holds(1_000, origin, (text) => {
      const read = normaliseEntry(text);
      if ('problem' in read) {
        expect(read.problem).toMatch(/\S/);
        if (/.{8}@/.test(text)) expect(read.problem).not.toContain(text);
        return;
      }
      expect(normaliseEntry(read.entry)).toEqual(read);
      expect(allows([read.entry], read.entry)).toBe(!read.entry.includes('*'));
    }));
});

describe('identifiers', () => {
  const tag = almost(
    'en',
    'EN',
    'pt',
    'BR',
    'Hant',
    '-',
    '_',
    'u',
    'ca',
    'buddhist',
    'x',
    'und',
    '1996',
    'i',
    'klingon',
  );
  test('a locale is canonical and short, or undefined', () =>
    tally.holds(1_500, tag, (text) => {
      const locale = canonicalLocale(text);
      if (locale === undefined) return;
      expect(Intl.getCanonicalLocales(locale)).toEqual([locale]);
      expect(locale.length).toBeLessThanOrEqual(64);
      expect(locale).toMatch(/^(?!und(-|$)|x-)[A-Za-z0-9-]+$/);
    }));

  test('an id is its prefix and word characters', () =>
    tally.holds(1_000, almost('ses_', 'prj_', 'exp_', 'a', 'Z9', '-', '_', "'", ';', '\n'), (text) => {
      for (const prefix of ['ses', 'prj', 'exp', 'key'] as const)
        expect(isId(prefix, text)).toBe(
          new RegExp(`^${prefix}_[\\w-]{1,64}$`).test(text) && !text.endsWith('\n'),
        );
    }));

  const readQuery = reader(sessionQuerySchema);
  const readKey = reader(keyRequestSchema);
  const query = fc.dictionary(
    fc.constantFrom('limit', 'cursor', 'experienceId', 'status', 'source', 'userId', '__proto__', 'order'),
    fc.oneof(
      hostileText,
      fc.constantFrom('1', '500', '501', '0', '-1', '1e2', 'ses_a', 'exp_a', 'created'),
      fc.array(fc.string()),
    ),
  );
  test('a query with a cursor is validated, or refused', () =>
    tally.holds(1_000, query, (asked) => {
      const read = outcome(() => pageAndFilter(readQuery(asked)), 'INVALID_REQUEST');
      if (read === undefined) return;
      expect(read.limit).toBeGreaterThanOrEqual(1);
      expect(read.limit).toBeLessThanOrEqual(500);
      if (read.cursor !== undefined) expect(isId('ses', read.cursor)).toBe(true);
    }));

  test('a key request has a mode and scopes, or is refused', () =>
    tally.holds(
      500,
      fc.record({ mode: fc.oneof(fc.constant('test'), hostileJson), scopes: hostileJson, name: hostileJson }),
      (wish) => {
        const read = outcome(() => {
          const body = readKey(wish);
          return { ...body, expiresAt: expiryOf(body) };
        }, 'INVALID_REQUEST');
        if (read !== undefined) expect(read.scopes.length).toBeGreaterThan(0);
      },
    ));
});

describe('project files', () => {
  const file = { project: project({ id: 'prj_a' }), experiences: [experience({ id: 'exp_a' })] };
  const lines = JSON.stringify(file, null, 1);
  const strange = fc.tuple(
    fc.nat({ max: lines.length }),
    hostileJson,
    fc.constantFrom('json' as const, 'yaml' as const),
  );
  test('with random values are read or refused, and change no prototype', () =>
    tally.holds(600, strange, ([at, value, format]) => {
      const place = lines.indexOf('\n', at);
      const text = `${lines.slice(0, place)}\n${JSON.stringify(value)}: ${JSON.stringify(value)},\n${lines.slice(place + 1)}`;
      try {
        expect(Object.getPrototypeOf(parseProjectFile(text, format))).toBe(Object.prototype);
      } catch (error) {
        expect(error).toBeInstanceOf(ProjectFileError);
      }
    }));

  const names = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString');
  test('keep names of Object properties in free-form fields', () =>
    tally.holds(300, fc.tuple(names, fc.jsonValue({ maxDepth: 1 })), ([name, value]) => {
      const free = `{"${name}":${JSON.stringify(value)},"type":"websocket","url":"wss://a.example/s"}`;
      const text = JSON.stringify(file).replace(/"transport":\{[^}]*\}/, `"transport":${free}`);
      try {
        const { transport } = parseProjectFile(text, 'json').experiences[0]!.runtime;
        expect(Object.hasOwn(transport, name)).toBe(true);
        expect(Object.getPrototypeOf(transport)).toBe(Object.prototype);
      } catch (error) {
        expect(error).toBeInstanceOf(ProjectFileError);
      }
    }));
});

test('logs contain no part of a key, in any text', () => {
  const key = generateApiKey('sl', 'live');
  return tally.holds(500, fc.tuple(hostileText, hostileText), ([before, after]) => {
    expect(scrubbed(`${before}${key}${after}`)).not.toContain(key.slice(8, 30));
  });
});

test('the properties together ran the required number of cases', () => {
  expect(tally.cases).toBeGreaterThanOrEqual(casesWanted.parsers);
});
