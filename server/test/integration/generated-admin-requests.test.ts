import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { adminApi } from '@session-launch/contract/admin/api';
import type { Operation } from '@session-launch/contract/operation';
import { resources } from '@session-launch/contract/resources';
import { roles } from '@session-launch/contract/roles';
import { checkAdminContract } from '@session-launch/testing/contract.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { adminToken, runtimeToken } from '@session-launch/testing/target.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlace, type Place, relocated } from '../harness/admin-places.ts';
import { effort } from '../harness/effort.ts';
import { altered, generated, headerValue, hostileJson, hostileText } from '../harness/generate.ts';
import { jpeg, png, svg } from '../harness/pictures.ts';
import { useService } from '../harness/service.ts';

/** Behind a proxy, so that each request can come from a network of its own: failed sign-ins are limited per network. */
const service = useService({ TRUST_PROXY: '127.0.0.1' });
const operations: readonly Operation[] = adminApi.operations;
const requestsWanted = effort(500, 10_000);

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

let other: Place;
const seen = { requests: 0, statuses: new Map<number, number>() };

beforeAll(async () => {
  other = await createPlace(service, 'owner');
});

afterAll(() => {
  const counts = [...seen.statuses].sort().map(([status, count]) => `${status}: ${count}`);
  process.stdout.write(`${seen.requests} generated requests: ${counts.join(', ')}\n`);
});

/** Ids of every kind, of this place and of another one. */
function anyId(place: Place): fc.Arbitrary<string> {
  const names = Object.keys(resources).map((kind) => `${kind}Id` as keyof Place);
  const ids = [place, other].flatMap((one) => names.map((name) => one[name] as string));
  const prefixes = Object.values(resources).flatMap((row) => ('prefix' in row ? row.prefix : []));
  const unknown = [...prefixes, 'aud'].flatMap((kind) => [
    `${kind}_01kb2x7m9defgt4zq8s6w3n5vh`,
    `${kind}_`,
    `${kind}_\0`,
    `${kind}_${'x'.repeat(3000)}`,
    `${kind}_é`,
    `${kind}_..%2f`,
  ]);
  return fc.constantFrom(...ids, ...unknown, 'bootstrap', '0', '-1', '2147483648', '99999999999999999999');
}

/** The value of a parameter: the right one more often than not. */
function parameter(name: string, schema: object, place: Place): fc.Arbitrary<string> {
  const known = place[name as keyof Place];
  const allowed = generated(schema).map(String);
  return fc.oneof(
    { weight: 6, arbitrary: typeof known === 'string' ? fc.constant(known) : allowed },
    { weight: 2, arbitrary: anyId(place) },
    { weight: 1, arbitrary: allowed },
    { weight: 1, arbitrary: hostileText },
  );
}

function fieldsOf(schema: Operation['params']): [string, object][] {
  return Object.entries((schema?.properties ?? {}) as Record<string, object>);
}

function paths(operation: Operation, place: Place): fc.Arbitrary<string> {
  const params = fc.record(
    Object.fromEntries(
      fieldsOf(operation.params).map(([name, schema]) => [name, parameter(name, schema, place)]),
    ),
  );
  const required = (operation.query?.required ?? []) as string[];
  const query = fieldsOf(operation.query).map(([name, schema]) =>
    fc.record({
      name: fc.constant(name),
      values: fc.oneof(
        {
          weight: 8,
          arbitrary: fc.array(parameter(name, schema, place), {
            minLength: required.includes(name) ? 1 : 0,
            maxLength: 1,
          }),
        },
        { weight: 1, arbitrary: fc.array(parameter(name, schema, place), { maxLength: 3 }) },
      ),
    }),
  );
  const more = fc.oneof(
    { weight: 9, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('&x=1', '&', '?', '&__proto__=1', '&%', '&%00=%00', '#x') },
  );
  return fc.tuple(params, fc.tuple(...query), more).map(([values, asked, rest]) => {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => percent(values[name] as string));
    const pairs = asked.flatMap((one) => one.values.map((value) => `${one.name}=${percent(value)}`));
    const search = pairs.join('&') + rest;
    return search === '' ? path : `${path}?${search}`.replaceAll('??', '?');
  });
}

/** A lone surrogate has no percent encoding. */
function percent(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Examples of the contract, values that the schema allows, mutations of both, and bodies that are something else. */
function bodies(
  operation: Operation,
  place: Place,
): fc.Arbitrary<{ type: string; content: Buffer } | undefined> {
  const none = fc.constant(undefined);
  const described = {
    ...(operation.body && { 'application/json': operation.body }),
    ...operation.bodies,
  };
  const kinds = Object.entries(described).map(([type, { schema, examples }]) => {
    const shown = Object.values(examples).map(({ value }) => relocated(value, place));
    const valid = type.startsWith('application/json') ? documents(shown, schema, place) : files(shown);
    return valid.map((content) => ({ type, content }));
  });
  const media = fc.constantFrom(
    'application/json',
    'text/plain',
    'application/yaml',
    'image/png',
    'nonsense',
    '',
  );
  const strange = fc.record({
    type: media,
    content: fc.oneof(
      hostileJson.map(json),
      hostileText.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(
        Buffer.alloc(0),
        Buffer.from('{"a":1'),
        Buffer.from('['.repeat(20_000)),
        Buffer.from('{"a":'.repeat(5_000)),
        Buffer.from(`"${'x'.repeat(100_000)}"`),
        Buffer.from('{"name":"a","name":"b"}'),
        Buffer.from('a: &a [*a, *a]'),
        Buffer.from('\ufeff{}'),
      ),
    ),
  });
  if (kinds.length === 0) return fc.oneof({ weight: 6, arbitrary: none }, { weight: 1, arbitrary: strange });
  return fc.oneof(
    { weight: 8, arbitrary: fc.oneof(...kinds) },
    { weight: 2, arbitrary: strange },
    { weight: 1, arbitrary: none },
  );
}

function documents(shown: unknown[], schema: object, place: Place): fc.Arbitrary<Buffer> {
  const own = place.world.file.experiences[0];
  const real = [...shown, { experience: own }, { token: place.token }, place.world.file];
  const valid = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...real) },
    { weight: 1, arbitrary: generated(schema) },
  );
  const wrong = fc.oneof(anyId(place), hostileText, hostileJson);
  return fc.oneof(
    valid.map(json),
    valid.chain((value) => altered(value, wrong)).map(json),
    valid.chain((value) => altered(value, wrong).chain((once) => altered(once, wrong))).map(json),
  );
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? '');
}

function files(shown: unknown[]): fc.Arbitrary<Buffer> {
  const pictures = [png(9, 9), jpeg, svg('<script>1</script>'), svg(), png(30_000, 30_000)];
  const whole = fc.constantFrom(...pictures, ...shown.map((text) => Buffer.from(String(text))));
  return fc.tuple(whole, fc.option(fc.nat()), fc.option(fc.nat())).map(([content, cut, flip]) => {
    const part = Buffer.from(cut === null ? content : content.subarray(0, cut % (content.length + 1)));
    if (flip !== null && part.length > 0) part[flip % part.length]! ^= 0x55;
    return part;
  });
}

const ifMatch = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 4 }).map((version) => `"${version}"`) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '*',
      'W/"1"',
      '"0"',
      '1',
      '"9999999999"',
      '"99999999999"',
      '"1", "2"',
      '""',
      '"١"',
    ),
  },
  { weight: 1, arbitrary: hostileText },
);

/** The right credential most of the time. */
function credentials(
  operation: Operation,
  place: Place,
  tokens: string[],
): fc.Arbitrary<Record<string, string>> {
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const cookie = { Cookie: place.cookie, 'Sec-Fetch-Site': 'same-origin' };
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constant(bearer(operation.caller === 'runtime-token' ? runtimeToken : adminToken)),
    },
    { weight: 4, arbitrary: fc.constantFrom(...tokens.map(bearer)) },
    { weight: 3, arbitrary: fc.constant(cookie) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Record<string, string>>(
        {},
        { Cookie: place.cookie },
        { Cookie: place.cookie, 'Sec-Fetch-Site': 'cross-site' },
        { Cookie: place.cookie, Origin: 'null' },
        { ...cookie, Host: 'rebound.example' },
        { ...cookie, Cookie: `${place.cookie}x; ${place.cookie}` },
        { ...cookie, Cookie: place.cookie.replace(/=.*/, '=') },
        { Authorization: 'Basic eDp5' },
        bearer(place.world.key),
        bearer('slo_00000000000000000000000000000000'),
        bearer(runtimeToken),
        { ...bearer('x'), ...cookie },
      ),
    },
    { weight: 1, arbitrary: hostileText.map((text) => ({ Authorization: `Bearer ${text}` })) },
    { weight: 1, arbitrary: hostileText.map((text) => ({ ...cookie, Cookie: `${place.cookie}; ${text}` })) },
  );
}

function requests(operation: Operation, place: Place, tokens: string[]): fc.Arbitrary<Sent> {
  const own = operation.method.toUpperCase();
  return fc
    .record({
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(own) },
        { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'PROPFIND', 'QUERY') },
      ),
      path: paths(operation, place),
      credential: credentials(operation, place, tokens),
      body: bodies(operation, place),
      version: operation.isVersioned
        ? fc.option(ifMatch, { freq: 8, nil: undefined })
        : fc.constant(undefined),
      accept: fc.option(
        fc.constantFrom('text/csv', 'application/x-ndjson', 'application/yaml', '*/*;q=0', 'a/b', ',,;'),
        { freq: 1, nil: undefined },
      ),
      type: fc.option(hostileText, { freq: 1, nil: undefined }),
      isOtherType: fc.integer({ min: 0, max: 15 }).map((n) => n === 0),
    })
    .map(({ method, path, credential, body, version, accept, type, isOtherType }) => {
      const media = isOtherType ? type : body?.type;
      const headers: Record<string, string> = {
        ...credential,
        'X-Forwarded-For': `10.${(seen.requests >> 16) & 255}.${(seen.requests >> 8) & 255}.${seen.requests & 255}`,
        ...(version === undefined ? {} : { 'If-Match': version }),
        ...(accept === undefined ? {} : { Accept: accept }),
        ...(media === undefined || body === undefined ? {} : { 'Content-Type': media }),
      };
      const sendable = Object.entries(headers).map(([name, value]) => [name, headerValue(value)]);
      return { method, path, headers: Object.fromEntries(sendable), ...(body && { body: body.content }) };
    });
}

/** Sends a request. A stream of events is closed after its headers. */
function ask({ method, path, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
    const request = httpRequest(
      service.adminUrl + path,
      { method, headers: { ...headers, ...length }, timeout: 120_000 },
      (response) => {
        const chunks: Buffer[] = [];
        const done = () =>
          resolve(answerOf(response.statusCode!, response.headers, Buffer.concat(chunks).toString()));
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          response.off('error', reject).on('error', () => undefined);
          done();
          response.destroy();
        } else response.on('end', done);
      },
    );
    request.on('timeout', () => request.destroy(new Error('no response within two minutes')));
    request.on('error', reject);
    request.end(body);
  });
}

function answerOf(status: number, headers: IncomingHttpHeaders, text: string): Answer {
  return {
    status,
    headers,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

/** Every error has the envelope, also where no operation documents it. */
function expectEnvelope({ method }: Sent, answer: Answer): void {
  if (answer.status < 400 || method === 'HEAD') return;
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  const { code, message, requestId } = answer.json.error;
  expect([code, message]).toEqual([expect.stringMatching(/^[A-Z_]+$/), expect.any(String)]);
  expect(requestId).toBe(answer.headers['x-request-id']);
}

describe.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s',
  (_, operation) => {
    test('answers generated requests as documented, and never with a 5xx', async () => {
      const place = await createPlace(service, roles[Math.floor(Math.random() * roles.length)]);
      const tokens = [place.token, other.token];
      await fc.assert(
        fc.asyncProperty(requests(operation, place, tokens), async (sent) => {
          const answer = await ask(sent);
          seen.requests++;
          seen.statuses.set(answer.status, (seen.statuses.get(answer.status) ?? 0) + 1);
          expect(answer.status, answer.text).toBeLessThan(500);
          expectEnvelope(sent, answer);
          checkAdminContract(sent, answer);
        }),
        { numRuns: Math.ceil(requestsWanted / operations.length) },
      );
    });
  },
);

test('the run has sent as many requests as it should, and a good part of them succeeded', () => {
  expect(seen.requests).toBeGreaterThanOrEqual(requestsWanted);
  const succeeded = [...seen.statuses].filter(([status]) => status < 400).map(([, count]) => count);
  expect(succeeded.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(seen.requests / 10);
});
