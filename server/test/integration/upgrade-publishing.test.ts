import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { targetAt } from '@session-launch/testing/deployment.ts';
import type { Call } from '@session-launch/testing/http.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { adminToken, runtimeToken } from '@session-launch/testing/target.ts';
import { expectError, mintFromPublic, mintFromServer, sessionsOf } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readProgram } from '../../src/store/migrations/migrations.ts';
import { type EmptyDatabase, emptyDatabase } from '../harness/empty-database.ts';
import { type Service, startService } from '../harness/service.ts';

/** What the program that made the database answered, and the secrets of that service, which protect nothing. */
interface Saved {
  publicUrl: string;
  signingKeys: object;
  keys: { test: string; live: string; revoked: string };
  /** Mints with an idempotency key. */
  replays: { name: string; request: Call; status: number; text: string }[];
  /** The catalog, experiences by slug, and all sessions. */
  reads: { request: Call; text: string; etag?: string }[];
}

const fixture = (type: string) =>
  readFile(new URL(`../fixtures/before-publishing.${type}`, import.meta.url), 'utf8');
const saved: Saved = JSON.parse(await fixture('json'));
const projectId = 'prj_museum';

let database: EmptyDatabase;
let service: Service;
let folder: string;
beforeAll(async () => {
  [database, folder] = await Promise.all([
    emptyDatabase(),
    mkdtemp(join(tmpdir(), 'session-launch-upgrade-')),
  ]);
  await database.load(await fixture('sql'));
  // As if the database had been made a moment ago: its idempotency records are valid, and its active session is not silent.
  await database.query(`UPDATE idempotency_keys SET expires_at = now() + interval '1 day'`);
  await database.query('UPDATE active_sessions SET reported_at = now()');
  await database.migrate();
  const signingKeysFile = join(folder, 'keys.json');
  await writeFile(signingKeysFile, JSON.stringify(saved.signingKeys), { mode: 0o600 });
  const port = await freePort();
  const started = await startService(
    { PORT: String(port), PUBLIC_URL: saved.publicUrl, SIGNING_KEYS_FILE: signingKeysFile },
    {
      database: await database.open(),
      ...(database.url === undefined ? {} : { databaseUrl: database.url }),
    } as Service,
  );
  const url = `http://127.0.0.1:${port}`;
  service = { ...started, ...targetAt({ url, adminUrl: started.adminUrl, adminToken, runtimeToken }) };
});
afterAll(async () => {
  await service?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const authorization = (key: string) => ({ Authorization: `Bearer ${key}` });

test('the fixture covers both keyed endpoints, all revisions and all states of a session', () => {
  const sessions = saved.reads.map(({ text }) => JSON.parse(text)).filter(({ status }) => status);
  const every = (field: string) => new Set(sessions.map((session) => session[field]));
  expect(every('source')).toEqual(new Set(['server', 'browser', 'public']));
  expect(every('status')).toEqual(new Set(['active', 'ended', 'expired']));
  expect(every('revision')).toEqual(new Set([1, 2, 3]));
  expect(new Set(saved.replays.map(({ request }) => request.path))).toEqual(
    new Set(['/v1/sessions', '/v1/browser-sessions']),
  );
});

test.for(saved.replays)(
  'a retry gets the same bytes after the upgrade: $name',
  async ({ request, status, text }) => {
    const before = (await sessionsOf(service, projectId)).length;
    const answer = await service.call(request);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers['idempotent-replayed']).toBe('true');
    expect(answer.text).toBe(text);
    expect(await sessionsOf(service, projectId)).toHaveLength(before);
  },
);

test.for(saved.reads)(
  'the same bytes are returned after the upgrade: $request.path',
  async ({ request, text, etag }) => {
    const answer = await service.call(request);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toBe(text);
    if (etag !== undefined) expect(answer.headers.etag).toBe(etag);
  },
);

test('keys are accepted as before, and a revoked key is not', async () => {
  const path = `/v1/projects/${projectId}/experiences`;
  const statuses = async (key: string) => (await service.call({ path, headers: authorization(key) })).status;
  expect(await statuses(saved.keys.test)).toBe(200);
  expect(await statuses(saved.keys.live)).toBe(200);
  expectError(
    await service.call({ path, headers: authorization(saved.keys.revoked) }),
    401,
    'API_KEY_INVALID',
  );
});

test('slugs of drafts, of archived experiences and of older revisions are unknown', async () => {
  for (const slug of ['pilot', 'diver', 'guide']) {
    const path = `/v1/projects/${projectId}/experiences/${slug}`;
    expectError(
      await service.call({ path, headers: authorization(saved.keys.test) }),
      404,
      'EXPERIENCE_NOT_FOUND',
    );
  }
});

test('what was live is published, and nothing else', async () => {
  const rows = await database.query(
    `SELECT id, published_revision AS revision, published_slug AS slug, live_at = updated_at AS "isSameTime", version
       FROM experiences ORDER BY id`,
  );
  const unpublished = { revision: null, slug: null, isSameTime: true, version: 1 };
  expect(rows).toEqual([
    { id: 'exp_diver', ...unpublished },
    { id: 'exp_guide', revision: 3, slug: 'harbor-guide', isSameTime: true, version: 1 },
    { id: 'exp_pilot', ...unpublished },
  ]);
});

test('launches use the published revision, and the newest one of a draft with a test key', async () => {
  const { test: testKey, live } = saved.keys;
  const mint = (key: string, experienceId: string) => mintFromServer(service, key, { experienceId });
  expect((await mint(live, 'exp_guide')).json.session).toMatchObject({ revision: 3, livemode: true });
  expect((await mint(testKey, 'exp_pilot')).json.session).toMatchObject({ revision: 2, livemode: false });
  expect((await mintFromPublic(service, { experienceId: 'exp_guide' })).json.experience).toMatchObject({
    slug: 'harbor-guide',
    revision: 3,
  });
  expectError(await mint(live, 'exp_pilot'), 404, 'EXPERIENCE_NOT_PUBLISHED');
  expectError(await mint(testKey, 'exp_diver'), 404, 'EXPERIENCE_NOT_FOUND');
});

test('the program that made the database refuses it after the upgrade, in one line, and changes nothing', async () => {
  const program = await readProgram();
  const before = { ...program, migrations: program.migrations.slice(0, 2) };
  const state = () =>
    database.query(`SELECT version, digest, applied_at::text FROM schema_migrations ORDER BY version`);
  const upgraded = await state();
  const refusal: Error = await database.migrate({ program: before }).then(
    () => expect.unreachable(),
    (error) => error,
  );
  expect(refusal.message).toBe(
    'the database was created by a newer version of this program; start that version, or restore a backup from before the upgrade',
  );
  expect(await state()).toEqual(upgraded);
});
