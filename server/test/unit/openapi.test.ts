import { readFileSync } from 'node:fs';
import { adminApi } from '@session-launch/contract/admin/api';
import { type Api, openApiDocument } from '@session-launch/contract/document';
import { documents } from '@session-launch/contract/documents';
import { type ErrorCode, errorTable } from '@session-launch/contract/errors';
import { publicApi } from '@session-launch/contract/public-api';
import { partOf, securityOf } from '@session-launch/testing/contract.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import pino from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { AdminAdmission } from '../../src/admin/admission.ts';
import type { AdminDeps } from '../../src/admin/deps.ts';
import { metricsRoutes } from '../../src/admin/metrics-routes.ts';
import { adminRoutes } from '../../src/admin/routes.ts';
import { type RuntimeDeps, runtimeRoutes } from '../../src/admin/runtime-routes.ts';
import { createServer } from '../../src/http/listener/server.ts';
import { mountPublicRoutes, type PublicDeps } from '../../src/start/public-routes.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read freely
type Json = any;

test.each(Object.keys(documents))('%s matches the code (npm run emit rewrites it)', (name) => {
  expect(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')).toBe(documents[name]);
});

test('the admin document stays small enough to be read', () => {
  const lines = documents['admin-openapi.json']!.split('\n').length;
  expect(lines).toBeLessThan(15_000);
});

test('operators get 429 exactly where the limit for one operator applies', () => {
  const document: Json = openApiDocument(adminApi);
  const ofOperators = operationsOf(document).filter(({ operation }) =>
    securityOf(document, operation).some((one: object) => 'adminToken' in one),
  );
  const without = ofOperators.filter(({ operation }) => operation.responses['429'] === undefined);
  expect(without.map(({ path }) => path).sort()).toEqual(['/admin/events', '/metrics']);
  for (const { operation, path } of ofOperators.filter((one) => !without.includes(one))) {
    const { description, headers } = partOf(document, operation.responses['429']);
    expect(description, path).toContain('`RATE_LIMITED`: The operator has too many requests in progress,');
    expect(Object.keys(headers), path).toEqual(['X-Request-Id', 'Cache-Control', 'Retry-After']);
  }
});

describe.each([
  ['openapi.json', publicApi],
  ['admin-openapi.json', adminApi],
] as [string, Api][])('%s', (name, api) => {
  const document: Json = openApiDocument(api);
  const operations = operationsOf(document);

  test('is OpenAPI 3.1.0, contract version 1.0.0, without a host name', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.0.0');
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
    expect(JSON.stringify(document)).not.toMatch(/127\.0\.0\.1|0\.0\.0\.0|localhost:8/);
  });

  test('has a unique id for every operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('describes exactly the mounted routes', async () => {
    const routes = await mountedRoutes(name);
    const listed = operations.map(({ method, path }) => `${method} ${path}`);
    expect(routes.filter((route) => !undescribed.test(route)).sort()).toEqual(listed.sort());
  });

  test('contains no internal fields', () => {
    const keys = new Set<string>();
    JSON.stringify(document, (key, value) => {
      keys.add(key);
      return value;
    });
    for (const key of ['errorMessage', '$id', 'hide']) expect(keys).not.toContain(key);
    expect([...keys].filter((key) => key.startsWith('x-') || key.startsWith('~'))).toEqual([]);
  });

  test('has valid examples for every body', () => {
    const ajv = new Ajv2020({
      strict: false,
      validateFormats: false,
      inlineRefs: false,
      code: { optimize: false },
    });
    ajv.addSchema(document, 'contract');
    let seen = 0;
    for (const { path, method, operation } of operations) {
      const at = `#/paths/${pointer(path)}/${method}`;
      const bodies: [string, Json][] = [[`${at}/requestBody`, operation.requestBody]];
      for (const [status, answer] of Object.entries<Json>(operation.responses)) {
        bodies.push([answer.$ref ?? `${at}/responses/${status}`, partOf(document, answer)]);
      }
      for (const [place, described] of bodies) {
        for (const [type, { examples = {} }] of Object.entries<Json>(described?.content ?? {})) {
          const valid = ajv.compile({ $ref: `contract${place}/content/${pointer(type)}/schema` });
          expect(Object.keys(examples).length, place).toBeGreaterThan(0);
          for (const example of Object.values<Json>(examples))
            expect(valid(partOf(document, example).value), `${place} ${ajv.errorsText(valid.errors)}`).toBe(
              true,
            );
          seen++;
        }
      }
    }
    expect(seen).toBeGreaterThan(40);
  });

  test('describes each error response, parameter and example that occurs several times only once', () => {
    const bodies = operations.flatMap(({ operation }) => [
      operation.requestBody ?? {},
      ...Object.values<Json>(operation.responses),
    ]);
    const found = {
      responses: operations.flatMap(({ operation }) =>
        Object.entries<Json>(operation.responses).filter(([status]) => Number(status) >= 400),
      ),
      parameters: operations.flatMap(({ operation }) => Object.entries<Json>(operation.parameters ?? [])),
      examples: [...bodies, ...Object.values<Json>(document.components.responses)].flatMap(
        ({ content = {} }) =>
          Object.values<Json>(content).flatMap(({ examples }) => Object.entries<Json>(examples)),
      ),
    };
    for (const [kind, parts] of Object.entries(found)) {
      const own = parts
        .filter(([, part]) => part.$ref === undefined)
        // The index of a parameter does not matter; the status of a response and the name of an example do.
        .map(([name, part]) => `${kind === 'parameters' ? '' : name} ${JSON.stringify(part)}`);
      expect(own.length, kind).toBeGreaterThan(5);
      expect(own.length, kind).toBeLessThan(parts.length);
      expect(new Set(own).size, kind).toBe(own.length);
    }
  });

  test('lists every code with its status, and an example for each', () => {
    for (const { code, status, content } of codesOf(document)) {
      expect(errorTable[code].status, code).toBe(status);
      expect(partOf(document, content.examples[code]).value.error.code).toBe(code);
    }
  });

  test('lists 401 where a credential is needed, and only there', () => {
    // The body of these operations is the credential or is signed, which OpenAPI security schemes cannot express.
    const isCredential = (path: string) =>
      path.endsWith('/leave') || path === '/runtime/v1/livekit' || path === '/admin/login';
    for (const { path, operation } of operations)
      expect('401' in operation.responses, path).toBe(
        securityOf(document, operation).length > 0 || isCredential(path),
      );
  });
});

test('the public document lists these operations, in this order', () => {
  const listed = operationsOf(openApiDocument(publicApi)).map(({ method, path }) => `${method} ${path}`);
  expect(listed).toEqual([
    'post /v1/sessions',
    'post /v1/browser-sessions',
    'post /v1/public-sessions',
    'post /preview-sessions',
    'get /v1/experiences/{experienceId}/availability',
    'get /v1/sessions/{sessionId}',
    'post /v1/sessions/{sessionId}/end',
    'post /v1/sessions/{sessionId}/leave',
    'post /runtime/v1/livekit',
    'get /v1/projects/{projectId}/experiences',
    'get /v1/projects/{projectId}/experiences/{slug}',
    'get /v1/projects/{projectId}/gallery',
    'get /.well-known/jwks.json',
    'get /healthz',
    'get /readyz',
  ]);
});

test('mints without a key and availability list 429 and have no security; no other route lists 429', () => {
  for (const { path, operation } of operationsOf(openApiDocument(publicApi))) {
    const isLimited =
      /^\/(v1\/(browser|public)-sessions|preview-sessions|v1\/experiences\/\{experienceId\}\/availability)$/.test(
        path,
      );
    expect('429' in operation.responses, path).toBe(isLimited);
    if (isLimited) expect(operation.security).toEqual([]);
  }
});

test('both documents together list every code except the two that belong to no operation', () => {
  const listed = new Set(
    [publicApi, adminApi].flatMap((api) => codesOf(openApiDocument(api)).map(({ code }) => code)),
  );
  const expected = Object.keys(errorTable).filter(
    (code) => !['NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(code),
  );
  expect([...listed].sort()).toEqual(expected.sort());
});

/** Web pages and static files, and OPTIONS routes. */
const undescribed =
  /^(get \/$|get \/(openapi\.json|reference|docs|preview\/$|avatars|locations|favicon|site|sdk)|options )/;

/** Only registers the routes without calling them, so their dependencies may be missing. */
async function mountedRoutes(name: string): Promise<string[]> {
  const server = createServer(pino({ level: 'silent' }));
  const routes: string[] = [];
  server.addHook('onRoute', ({ method, url }) => {
    // Routes for all other methods only return 405.
    if (typeof method !== 'string' || method === 'HEAD') return;
    routes.push(`${method.toLowerCase()} ${url.replace(/:(\w+)/g, '{$1}')}`);
  });
  const signer = { keys: { all: [] } };
  if (name === 'openapi.json')
    await mountPublicRoutes(server, {
      endpoints: { signer },
      assetsDir: '/nowhere',
    } as unknown as PublicDeps);
  else {
    const token = 'a-token-for-tests';
    await server.register(adminRoutes, {
      token,
      database: {},
      admission: new AdminAdmission(),
    } as unknown as AdminDeps);
    const furtherMetrics = async () => '';
    await server.register(metricsRoutes, {
      token,
      operators: undefined,
      metrics: new Registry(),
      furtherMetrics,
    });
    await server.register(runtimeRoutes, { token } as unknown as RuntimeDeps);
  }
  await server.ready();
  await server.close();
  return [...new Set(routes)];
}

function operationsOf(document: Json): { path: string; method: string; operation: Json }[] {
  return Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

function codesOf(document: Json): { code: ErrorCode; status: number; content: Json }[] {
  return operationsOf(document).flatMap(({ operation }) =>
    Object.entries<Json>(operation.responses).flatMap(([status, answer]) => {
      const content = partOf(document, answer).content?.['application/json'];
      const codes: ErrorCode[] = content?.schema.allOf?.[1].properties.error.properties.code.enum ?? [];
      return codes.map((code) => ({ code, status: Number(status), content }));
    }),
  );
}

function pointer(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}
