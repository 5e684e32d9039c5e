import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorCode, errorTable } from '../../src/errors.ts';
import { contractDocument } from '../../src/http/openapi.ts';
import { createServer } from '../../src/http/server.ts';
import { mountPublicRoutes, type PublicDeps } from '../../src/public-routes.ts';

const file = new URL('../../../openapi.json', import.meta.url);
const server = createServer(pino({ level: 'silent' }));
// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read freely
let document: any;

beforeAll(async () => {
  // Only the routes are looked at: none of them is called, so their parts may be missing.
  const deps = { mint: { signer: { keys: { all: [] } } }, assetsDir: '/nowhere' } as unknown as PublicDeps;
  await mountPublicRoutes(server, deps);
  await server.ready();
  document = contractDocument(server);
});
afterAll(() => server.close());

test('openapi.json is what the code says (UPDATE=1 rewrites it)', () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env.UPDATE === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('it is OpenAPI 3.1.0, contract version 1.0.0, and names no machine', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.info.version).toBe('1.0.0');
  expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
  expect(JSON.stringify(document)).not.toMatch(/localhost|127\.0\.0\.1|0\.0\.0\.0/);
});

test('it lists these operations, in this order', () => {
  expect(operations().map(({ method, path }) => `${method} ${path}`)).toEqual([
    'post /v1/sessions',
    'post /v1/browser-sessions',
    'post /v1/public-sessions',
    'get /v1/sessions/{sessionId}',
    'post /v1/sessions/{sessionId}/end',
    'get /v1/projects/{projectId}/experiences',
    'get /v1/projects/{projectId}/experiences/{slug}',
    'get /.well-known/jwks.json',
    'get /healthz',
    'get /readyz',
  ]);
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('nothing that is for internal use is published', () => {
  const keys = new Set<string>();
  JSON.stringify(document, (key, value) => {
    keys.add(key);
    return value;
  });
  for (const key of ['errorMessage', '$id', '$schema', 'hide']) expect(keys).not.toContain(key);
  expect([...keys].filter((key) => key.startsWith('x-') || key.startsWith('~'))).toEqual([]);
});

test('every request and every answer with a body has examples, and they are valid', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'contract');
  const seen: string[] = [];
  for (const { path, method, operation } of operations()) {
    const at = `${pointer(path)}/${method}`;
    const bodies = [[`${at}/requestBody`, operation.requestBody]];
    for (const [status, answer] of Object.entries(operation.responses)) {
      bodies.push([`${at}/responses/${status}`, answer]);
    }
    for (const [place, described] of bodies) {
      if (described?.content === undefined) continue;
      const valid = ajv.compile({ $ref: `contract#/paths/${place}/content/application~1json/schema` });
      // biome-ignore lint/suspicious/noExplicitAny: examples of the JSON document
      const examples = Object.values<any>(described.content['application/json'].examples ?? {});
      expect(examples.length, place).toBeGreaterThan(0);
      for (const { value } of examples)
        expect(valid(value), `${place} ${ajv.errorsText(valid.errors)}`).toBe(true);
      seen.push(place);
    }
  }
  expect(seen.length).toBeGreaterThan(50);
});

describe('errors', () => {
  /** These belong to the admin API, or to no operation at all. */
  const elsewhere: ErrorCode[] = [
    'PROJECT_FILE_INVALID',
    'ADMIN_TOKEN_INVALID',
    'PROJECT_NOT_FOUND',
    'KEY_NOT_FOUND',
    'NOT_FOUND',
    'METHOD_NOT_ALLOWED',
  ];

  test('every code is listed with its status, and each listed code has an example', () => {
    const listed = new Set<string>();
    for (const { operation } of operations()) {
      // biome-ignore lint/suspicious/noExplicitAny: answers of the JSON document
      for (const [status, answer] of Object.entries<any>(operation.responses)) {
        const content = answer.content?.['application/json'];
        const codes: ErrorCode[] = content?.schema.allOf?.[1].properties.error.properties.code.enum ?? [];
        for (const code of codes) {
          expect(errorTable[code].status, code).toBe(Number(status));
          expect(content.examples[code].value.error.code).toBe(code);
          listed.add(code);
        }
      }
    }
    const expected = Object.keys(errorTable).filter((code) => !elsewhere.includes(code as ErrorCode));
    expect([...listed].sort()).toEqual(expected.sort());
  });

  test('routes with a key list 401, browser doors list 429 and have no security', () => {
    for (const { path, operation } of operations()) {
      const keyed = operation.security.length > 0;
      expect('401' in operation.responses, path).toBe(keyed);
      const door = path === '/v1/browser-sessions' || path === '/v1/public-sessions';
      expect('429' in operation.responses, path).toBe(door);
      if (door) expect(keyed).toBe(false);
    }
  });
});

// biome-ignore lint/suspicious/noExplicitAny: operations of the JSON document
function operations(): { path: string; method: string; operation: any }[] {
  return Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

function pointer(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}
