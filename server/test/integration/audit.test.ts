import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminApi } from '@session-launch/contract/admin/api';
import type { FieldChange } from '@session-launch/contract/admin/changes';
import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import { leaks, type Places } from '@session-launch/testing/leaks.ts';
import { adminToken, runtimeToken } from '@session-launch/testing/target.ts';
import { createKey, createWorld, type World } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAudit } from '../../src/audit/read.ts';
import { recordAudit } from '../../src/audit/record.ts';
import { createLog } from '../../src/observe/log.ts';
import { bootstrap } from '../../src/operators/operators.ts';
import { sampleOf, samples, secretsIn, secretsOf } from '../harness/admin-samples.ts';
import { askAdmin } from '../harness/ask-admin.ts';
import { client, startIdentityProvider, type TestIdentityProvider } from '../harness/identity-provider.ts';
import { type Service, startService } from '../harness/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'session-launch-test-'));
const logFile = join(folder, 'log');
const descriptor = openSync(logFile, 'a');
const log = createLog('trace', { fd: descriptor, isTTY: false } as NodeJS.WriteStream & { fd: number });
const service = {} as Service;
let provider: TestIdentityProvider;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const oidc = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
  };
  Object.assign(service, await startService(oidc, undefined, log));
  provider.register(`${service.adminUrl}/admin/oidc/callback`);
  provider.person = { sub: 'ada', name: 'Ada', role: 'owner' };
});
afterAll(async () => {
  await service.close?.();
  await provider?.close();
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

const run = <Row>(text: string) => service.database.query<Row>('admin', { text });
const rowsAfter = (id: string) =>
  run<{ id: string; action: string; operator_id: string; name: string }>(
    `SELECT id, action, operator_id, name FROM audit WHERE id > '${id}' ORDER BY id`,
  );
const latestId = async () => (await run<{ id: string }>('SELECT max(id) AS id FROM audit'))[0]?.id ?? '';

const read = async (query: Record<string, string> = {}) => {
  const answer = await service.admin({ path: `/admin/audit?${new URLSearchParams(query)}` });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as { entries: Record<string, unknown>[]; nextCursor?: string };
};

const writes = adminApi.operations.filter(({ action }) => action !== undefined);

/** Operations that change nothing in the service, but have a body. */
const questions = ['simulate', 'checkOrigin', 'tryTool'];

test('every sample is of an operation that changes something; operations without an action read', () => {
  const ids = writes.map(({ operationId }) => operationId);
  expect(Object.keys(samples).filter((id) => ![...ids, ...questions].includes(id))).toEqual([]);
  const reads = adminApi.operations.filter(
    ({ action, caller }) => action === undefined && caller === 'operator',
  );
  const posted = reads.filter(({ method }) => method !== 'get').map(({ operationId }) => operationId);
  expect(posted.sort()).toEqual([...questions].sort());
});

const secrets = new Set([adminToken, runtimeToken, client.secret, 'planted-user', 'planted-metadata']);

/** Sends a sample as its caller would: with the cookie that it has, else with the admin token. */
function perform(call: Call): Promise<Answer> {
  return call.headers?.Cookie === undefined ? service.admin(call) : send(service.adminUrl, call);
}

/** Rows in addition to that of the operation. Which experiences a project has, and their order, are part of the project's version. */
const further: Record<string, string[]> = {
  createExperience: ['experience.create'],
  deleteExperience: ['experience.delete'],
  orderExperiences: ['experience.order'],
  finishOidc: ['operator.create'],
};

test.each(writes)(
  '$operationId records $action and its author, and nothing if the request is refused',
  async (operation) => {
    const { operationId, action, caller } = operation;
    const world = await createWorld(service);
    for (const key of [world.key, world.liveKey]) secrets.add(key);
    const call = await sampleOf(operation, { service, world });
    const before = await latestId();
    const answer = await perform(call);
    expect(answer.status, answer.text).toBeLessThan(400);
    for (const secret of [...secretsOf(call), ...secretsIn(answer)]) secrets.add(secret);
    const rows = await rowsAfter(before);
    expect(rows.map((row) => row.action).sort()).toEqual([action, ...(further[operationId] ?? [])].sort());
    const author = operationId === 'finishOidc' ? 'Ada' : 'bootstrap';
    for (const row of rows) {
      // The row that creates an operator at their first sign-in is their own.
      expect(row.name).toBe(author);
      expect(row.operator_id).toMatch(author === 'Ada' ? /^opr_/ : /^bootstrap$/);
    }

    if (caller !== 'operator') return;
    const after = await latestId();
    const { Cookie: _, ...headers } = call.headers ?? {};
    const refused = await send(service.adminUrl, { ...call, headers });
    expect(refused.status).toBe(401);
    expect(await rowsAfter(after)).toEqual([]);
  },
);

test.each(questions)('%s records nothing', async (operationId) => {
  const { projectId, experienceId } = await createWorld(service);
  const before = await latestId();
  const answer = await service.admin(
    operationId === 'simulate'
      ? {
          method: 'POST',
          path: `/admin/experiences/${experienceId}/simulate`,
          body: { cases: [{ door: 'server' }] },
        }
      : {
          method: 'POST',
          path: '/admin/origins/check',
          body: { projectId, experienceId, origin: 'https://shop.example' },
        },
  );
  expect(answer.status, answer.text).toBe(200);
  expect(await rowsAfter(before)).toEqual([]);
});

test('a sign-in that fails is recorded without the code', async () => {
  const before = await latestId();
  const code = 'planted-code-0123456789';
  const answer = await send(service.adminUrl, { method: 'POST', path: '/admin/login', body: { code } });
  expect(answer.status).toBe(401);
  secrets.add(code);
  expect(await rowsAfter(before)).toMatchObject([{ action: 'login.failed', operator_id: 'unknown' }]);
});

test('no row, export or log line contains a secret', async () => {
  // Secrets in places where a mistake could put them.
  const [secret] = [...secrets].slice(-1);
  await send(service.adminUrl, { path: `/admin/audit?cursor=${secret}`, headers: { Cookie: `x=${secret}` } });
  const places: Places = { rows: JSON.stringify(await run('SELECT a::text AS row FROM audit a')) };
  const json = await askAdmin(service, 'GET /admin/projects');
  const exports: Call[] = [
    { path: '/admin/audit?limit=500' },
    { path: '/admin/audit', headers: { Accept: 'application/x-ndjson' } },
    { path: '/admin/doctor' },
    { path: '/admin/operators' },
    { path: '/admin/logins' },
    { path: '/admin/signing-keys' },
    { path: '/metrics' },
    ...json.projects.flatMap(({ projectId }: { projectId: string }) => [
      { path: `/admin/projects/${projectId}?format=yaml` },
      { path: `/admin/projects/${projectId}/keys` },
      { path: `/admin/projects/${projectId}/usage`, headers: { Accept: 'text/csv' } },
    ]),
  ];
  for (const call of exports) {
    const answer = await service.admin(call);
    expect(answer.status, answer.text).toBe(200);
    places[`${call.path} ${JSON.stringify(call.headers ?? {})}`] = answer.text;
  }
  log.info('the last line');
  await expect.poll(() => readFileSync(logFile, 'utf8')).toContain('the last line');
  places.log = readFileSync(logFile, 'utf8');
  expect(places.log).toContain('/admin/keys/:keyId/replace');
  const named = Object.fromEntries([...secrets].map((one, i) => [`secret ${i}`, one]));
  expect(Object.keys(named).length).toBeGreaterThan(60);
  expect(leaks(places, named)).toEqual([]);
});

test('no row is without an author', async () => {
  expect(await run(`SELECT id FROM audit WHERE operator_id = '' OR name = '' OR request_id = ''`)).toEqual(
    [],
  );
});

test.each([`UPDATE audit SET name = 'somebody else'`, 'DELETE FROM audit', 'TRUNCATE audit'])(
  'the database refuses %s',
  async (statement) => {
    expect((await run('SELECT id FROM audit LIMIT 1')).length).toBe(1);
    await expect(run(statement)).rejects.toThrow(/immutable/);
  },
);

describe('reading', () => {
  let world: World;
  let other: World;
  beforeAll(async () => {
    world = await createWorld(service);
    other = await createWorld(service);
    for (let n = 0; n < 7; n++) {
      await createKey(service, world.projectId);
      await service.admin({
        method: 'PATCH',
        path: `/admin/keys/${world.keyId}`,
        body: { name: `name ${n}` },
      });
    }
  });

  test('shows each entry with its author, change and request, newest first', async () => {
    const { entries } = await read({ projectId: world.projectId, action: 'key.update' });
    expect(entries).toHaveLength(7);
    expect(entries[0]).toEqual({
      auditId: expect.stringMatching(/^aud_/),
      at: expect.any(String),
      actor: { operatorId: 'bootstrap', name: 'bootstrap', via: 'token' },
      action: 'key.update',
      projectId: world.projectId,
      target: world.keyId,
      changes: [{ path: 'name', before: 'name 5', after: 'name 6' }],
      requestId: expect.stringMatching(/^req_/),
      address: expect.any(String),
    });
  });

  test.each([
    {},
    { action: 'key.create' },
    { operatorId: 'bootstrap' },
    { operatorId: 'bootstrap', action: 'key.update' },
    { operatorId: 'opr_nobody' },
  ])('pages of %j cover all entries exactly once', async (filter) => {
    const query = { ...filter, projectId: world.projectId } as Record<string, string>;
    const whole = (await read({ ...query, limit: '500' })).entries;
    for (const limit of ['1', '4', '500']) {
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await read({ ...query, limit, ...(cursor === undefined ? {} : { cursor }) });
        found.push(...page.entries);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(found).toEqual(whole);
    }
    const ids = whole.map(({ auditId }) => auditId);
    expect(ids).toEqual([...ids].sort().reverse());
  });

  test('an export has every entry that matches, one per line', async () => {
    const headers = { Accept: 'application/x-ndjson' };
    const answer = await service.admin({ path: '/admin/audit?action=key.create', headers });
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const lines = answer.text.trimEnd().split('\n');
    const stored = await run<{ id: string }>(
      `SELECT id FROM audit WHERE action = 'key.create' ORDER BY id DESC`,
    );
    expect(lines.map((line) => JSON.parse(line).auditId)).toEqual(stored.map(({ id }) => id));
    const empty = await service.admin({ path: '/admin/audit?operatorId=opr_nobody', headers });
    expect([empty.status, empty.text]).toEqual([200, '']);
  });

  test('an operator limited to projects sees only their entries', async () => {
    const all = await listAudit(service.database, {}, { limit: 500 });
    expect(new Set(all.entries.map(({ projectId }) => projectId)).size).toBeGreaterThan(2);
    for (const projectIds of [[world.projectId], [world.projectId, other.projectId], []]) {
      const { entries } = await listAudit(service.database, { projectIds }, { limit: 500 });
      expect(entries).toEqual(all.entries.filter((one) => projectIds.includes(one.projectId ?? '')));
    }
  });

  test('the entry of a new key has its expiry, and no name if it has none', async () => {
    const expiresAt = '2100-01-01T00:00:00.000Z';
    await createKey(service, world.projectId, { expiresAt, scopes: ['sessions:read'] });
    const { entries } = await read({ action: 'key.create', limit: '1' });
    expect(entries[0]!.changes).toEqual([
      { path: 'mode', after: 'test' },
      { path: 'scopes', after: ['sessions:read'] },
      { path: 'expiresAt', after: expiresAt },
    ]);
  });

  test('an entry is bounded, and still names every field that changed', async () => {
    const value = 'x'.repeat(3_000);
    const changes = Array.from({ length: 1_000 }, (_, i) => ({
      path: i < 999 ? `runtime.mind.topics[${i}].tell.en` : 'description',
      ...(i % 2 === 0 ? { before: value } : {}),
      after: value,
    }));
    const actor = { ...bootstrap, via: 'token' as const, address: '', requestId: 'req_large' };
    const entry = { action: 'experience.save', target: 'exp_large_audit', changes };
    await service.database.transaction((tx) => recordAudit(tx, actor, [entry]));
    const [stored] = await run<{ changes: FieldChange[]; size: number }>(
      `SELECT changes, octet_length(changes::text) AS size FROM audit WHERE target = 'exp_large_audit'`,
    );
    expect(stored!.size).toBeLessThan(128_000);
    expect(stored!.changes.slice(0, 500).map(({ path }) => path)).toEqual(
      changes.slice(0, 500).map(({ path }) => path),
    );
    expect(stored!.changes[0]).toEqual(changes[0]);
    expect(stored!.changes[499]).toEqual({ path: 'runtime.mind.topics[499].tell.en', after: '…' });
    expect(stored!.changes.slice(500)).toEqual(
      ['runtime', 'description'].map((path) => ({ path, before: '…', after: '…' })),
    );
  });

  test('a page examines a limited number of entries, and the next one continues', async () => {
    await run(`INSERT INTO audit (id, at, operator_id, name, via, action, project_id, target, changes, request_id, address)
      SELECT 'aud_7' || lpad(i::text, 25, '0'), now(), 'opr_old', 'old', 'token', CASE i WHEN 1 THEN 'old.rare' ELSE 'old.common' END,
             'prj_old', 'x', '[]', 'req_x', '' FROM generate_series(1, 4500) i`);
    const query = { projectId: 'prj_old', action: 'old.rare' };
    const pages = [await read(query)];
    while (pages.at(-1)?.nextCursor) pages.push(await read({ ...query, cursor: pages.at(-1)!.nextCursor! }));
    expect(pages.map(({ entries }) => entries.length)).toEqual([0, 0, 1]);
    const whole = await service.admin({
      path: '/admin/audit?operatorId=opr_old',
      headers: { Accept: 'application/x-ndjson' },
    });
    expect(whole.text.trimEnd().split('\n')).toHaveLength(4500);
  });
});
