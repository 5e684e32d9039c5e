import { contract, partOf } from '@session-launch/testing/contract.ts';
import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Call } from '@session-launch/testing/http.ts';
import {
  createKey,
  createWorld,
  experience,
  mintFromServer,
  pageOrigin,
  runtime,
} from '@session-launch/testing/world.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { effort } from '../harness/effort.ts';
import { generated, headerValue, mutated } from '../harness/generate.ts';

const service = deployedService();

// biome-ignore lint/suspicious/noExplicitAny: parts of the JSON document
type Json = any;

/** Values that exist in this service, and values that do not. */
const known: Record<string, { good: string[]; other: string[] }> = {
  key: { good: [], other: ['sl_test_wrong', ''] },
  experienceId: { good: [], other: ['exp_nobody', 'exp_', ''] },
  code: { good: [], other: ['AAAAAAAAAAAAAAAAAAAAAAAAAAA', 'x', ''] },
  projectId: { good: [], other: ['prj_nobody', 'x'] },
  slug: { good: [], other: ['nobody', 'A'] },
  sessionToken: { good: [], other: ['eyJhbGciOiJFZERTQSJ9.e30.AA', ''] },
  sessionId: { good: [], other: ['ses_nobody', 'ses_', 'x'] },
  Origin: { good: [pageOrigin], other: ['https://evil.example', 'null', ''] },
  'Idempotency-Key': {
    good: Array.from({ length: 20 }, (_, i) => `retry ${i}`),
    other: ['', 'x'.repeat(257), 'é', 'a, b'],
  },
  'If-None-Match': { good: ['"x"', 'W/"x", "y"'], other: ['*', ','] },
};

beforeAll(async () => {
  const dual = runtime({ languages: { dual: true, default: 'en', conversation: 'match', paired: 'match' } });
  const open = experience({ slug: 'open', public: true, allowedOrigins: [pageOrigin] });
  const world = await createWorld(service, {
    experiences: [
      open,
      experience({ slug: 'dual', runtime: dual }),
      experience({ slug: 'draft', status: 'draft' }),
      experience({ slug: 'gone', status: 'archived' }),
    ],
  });
  const limited = await createWorld(service, {
    project: { limits: { mintsPerMinutePerClient: 3, mintsPerMinute: 20, sessionsPerDay: 2 } },
    experience: { public: true, allowedOrigins: [pageOrigin] },
  });
  const closed = await createWorld(service, { project: { browserEmbeds: false } });
  const { key: reader } = await createKey(service, world.projectId, { scopes: ['sessions:read'] });
  const minted = await mintFromServer(service, world.key, { experienceId: world.experienceId });

  const previews = { method: 'POST', path: `/admin/experiences/${open.id}/previews`, body: {} };
  const { json: preview } = await service.admin(previews);

  known.code!.good.push(preview.url.split('#')[1]);
  known.key!.good.push(world.key, world.liveKey);
  known.key!.other.push(closed.key, reader);
  known.projectId!.good.push(world.projectId);
  known.projectId!.other.push(limited.projectId);
  known.slug!.good.push('open', 'dual');
  known.slug!.other.push('draft', 'gone');
  known.sessionId!.good.push(minted.json.session.sessionId);
  known.sessionToken!.good.push(minted.json.launch.sessionToken);
  known.experienceId!.good.push(open.id);
  known.experienceId!.other.push(...world.file.experiences.slice(1).map(({ id }) => id));
  known.experienceId!.other.push(limited.experienceId, closed.experienceId);
});

function value(name: string, valid: boolean): fc.Arbitrary<string> {
  const { good, other } = known[name]!;
  return fc.constantFrom(...(valid ? good : [...good, ...other]));
}

/** An existing value, or any value that the schema of the parameter allows. */
function parameter({ name, schema }: Json, valid: boolean): fc.Arbitrary<string> {
  const made = generated(schema).map(String);
  if (known[name] === undefined) return made;
  return valid ? value(name, true) : fc.oneof({ weight: 3, arbitrary: value(name, false) }, made);
}

/** A body that the schema allows, one with a mutation, or one that is not JSON. */
function body(schema: Json, valid: boolean): fc.Arbitrary<unknown> {
  const named = schema.$ref.endsWith('/PreviewMintRequest') ? 'code' : 'experienceId';
  const allowed = fc
    .tuple(generated(schema) as fc.Arbitrary<object>, value(named, valid))
    .map(([made, name]) => ({ ...made, [named]: name }));
  if (valid) return allowed;
  return fc.oneof(
    { weight: 2, arbitrary: allowed },
    { weight: 6, arbitrary: allowed.chain(mutated) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((content) => JSON.stringify(content)) },
    { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

/** A body that consists of a token. */
function text(valid: boolean): fc.Arbitrary<unknown> {
  const token = value('sessionToken', valid);
  return valid ? token : fc.oneof(token, fc.string({ maxLength: 40 }), fc.constant(undefined));
}

function requests(path: string, method: string, operation: Json, valid: boolean): fc.Arbitrary<Call> {
  const parameters: Json[] = (operation.parameters ?? []).map((part: Json) => partOf(contract, part));
  const needed = parameters.filter((described) => described.in === 'path' || (valid && described.required));
  const values = fc.record(
    Object.fromEntries(parameters.map((described) => [described.name, parameter(described, valid)])),
    { requiredKeys: needed.map(({ name }) => name) as never[] },
  );
  const schema = operation.requestBody?.content['application/json']?.schema;
  const isText = operation.requestBody?.content['text/plain'] !== undefined;
  const types = ['application/json', 'application/json; charset=utf-8'];
  return fc
    .record({
      given: values as fc.Arbitrary<Record<string, string | undefined>>,
      content: isText ? text(valid) : schema === undefined ? fc.constant(undefined) : body(schema, valid),
      media: fc.constantFrom(...types, ...(valid ? [] : ['text/plain', 'nonsense'])),
      key: value('key', valid),
    })
    .map(({ given, content, media, key }) => {
      const headers: Record<string, string> = {};
      if (content !== undefined) headers['Content-Type'] = media;
      if (operation.security.length > 0) headers.Authorization = `Bearer ${key}`;
      let address = path;
      for (const { name, in: place } of parameters) {
        const sent = given[name];
        if (sent === undefined) continue;
        if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(sent));
        else headers[name] = headerValue(sent);
      }
      return { method, path: address, headers, ...(content === undefined ? {} : { body: content }) };
    });
}

const operations = Object.entries<Record<string, Json>>(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

describe.each(operations)('$method $path', ({ path, method, operation }) => {
  test.each([
    ['valid', true],
    ['spoilt', false],
  ])('answers %s requests as the contract defines, and never with a 5xx', async (_what, valid) => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requests(path, method, operation, valid), async (call) => {
        // The harness validates status, headers and body of every response against the contract.
        const { status, text } = await service.call(call);
        expect(status, text).toBeLessThan(500);
        seen.add(status);
      }),
      { numRuns: effort(25, 100) },
    );
    // At least one valid request must succeed; otherwise only errors would be tested. A webhook needs LiveKit's signature.
    if (!valid) return;
    if (operation.operationId === 'receiveLivekitWebhook') expect([...seen]).toEqual([401]);
    else expect(Math.min(...seen), `only ${[...seen].join(', ')}`).toBeLessThan(400);
  });
});
