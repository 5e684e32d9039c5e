import { randomBytes } from 'node:crypto';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { postgresFleet, rows, until } from '@session-launch/testing/fleet.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import {
  apply,
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromServer,
} from '@session-launch/testing/world.ts';
import { beforeAll, expect, inject, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';

/** Non-default settings that a server, a database or a role may have. */
const settings: Record<string, string> = {
  datestyle: `'SQL, DMY'`,
  intervalstyle: `'sql_standard'`,
  timezone: `'America/St_Johns'`,
  client_encoding: `'LATIN1'`,
  search_path: 'elsewhere, public',
  default_transaction_isolation: `'serializable'`,
  lock_timeout: `'1ms'`,
  bytea_output: `'escape'`,
};

const role = `limited_${randomBytes(4).toString('hex')}`;
const cleanup = useCleanup();
let url: string;
let service: ServiceProcess;

beforeAll(async () => {
  // Runs after its database has been dropped.
  cleanup(() => rows(inject('postgresUrl'), `DROP ROLE IF EXISTS ${role}`));
  const fleet = await postgresFleet(cleanup);
  url = fleet.databaseUrl;
  const name = new URL(url).pathname.slice(1);
  await rows(url, `CREATE ROLE ${role} LOGIN`);
  await rows(url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
  // Tables with the same names in a schema that comes first in the search path.
  await rows(url, 'CREATE SCHEMA elsewhere');
  for (const table of ['api_keys', 'sessions', 'experiences', 'schema_migrations'])
    await rows(url, `CREATE TABLE elsewhere.${table} (nothing integer)`);
  await rows(url, `GRANT USAGE ON SCHEMA elsewhere TO ${role}`);
  await rows(url, `GRANT ALL ON ALL TABLES IN SCHEMA elsewhere TO ${role}`);
  for (const [setting, value] of Object.entries(settings))
    await rows(url, `ALTER DATABASE ${name} SET ${setting} = ${value}`);
  service = await fleet.start({ DATABASE_URL: url.replace('postgres@', `${role}@`) });
});

test('a role without CREATE privileges can serve an existing schema', async () => {
  for (const schema of ['public', 'elsewhere'])
    expect(
      await rows(url, 'SELECT has_schema_privilege($1, $2, $3) AS may', [role, schema, 'CREATE']),
    ).toEqual([{ may: false }]);
  expect(await askAdmin(service, 'GET /admin/projects'), 'DEMO=off').toEqual({ projects: [] });
  const world = await createWorld(service);
  expect((await mintFromServer(service, world.key, { experienceId: world.experienceId })).status).toBe(201);
});

test('database settings do not change the service’s behaviour', async () => {
  const title = 'Ελληνικά, 漢字, 🎭';
  const limits = { mintsPerMinutePerClient: 1_000, mintsPerMinute: null, sessionsPerDay: null };
  const world = await createWorld(service, { project: { limits }, experience: { title } });
  const body = { experienceId: world.experienceId };
  const as = (key: string) => ({ Authorization: `Bearer ${key}` });

  const minted = await mintFromServer(service, world.key, body, { 'Idempotency-Key': 'one' });
  expect(minted.status, minted.text).toBe(201);
  expect(minted.json.launch.experience.title).toBe(title);
  const again = await mintFromServer(service, world.key, body, { 'Idempotency-Key': 'one' });
  expect(again.text).toBe(minted.text);
  const { sessionId, createdAt } = minted.json.session;
  expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(60_000);
  expect((await mintFromBrowser(service, body)).status).toBe(201);

  const path = `/v1/sessions/${sessionId}`;
  expect((await service.call({ path, headers: as(world.key) })).json).toEqual(minted.json.session);
  const ended = await service.call({ method: 'POST', path: `${path}/end`, headers: as(world.key) });
  expect(ended.json).toMatchObject({ sessionId, createdAt, status: 'ended' });
  const catalog = await service.call({
    path: `/v1/projects/${world.projectId}/experiences`,
    headers: as(world.key),
  });
  expect(catalog.json.experiences).toMatchObject([{ title }]);
  expect(catalog.json.experiences[0].updatedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);

  const { key, keyId, expiresAt } = await keyThatExpiresSoon(service, world.projectId);
  const keys = await service.admin({ path: `/admin/projects/${world.projectId}/keys` });
  expect(keys.json.keys.find((one: { keyId: string }) => one.keyId === keyId).expiresAt).toBe(expiresAt);
  const answer = await until('the key to expire', async () => {
    const mint = await mintFromServer(service, key, body);
    return mint.status !== 201 && mint;
  });
  expectError(answer, 401, 'API_KEY_INVALID');
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));

  const more = { ...world.file, experiences: [...world.file.experiences, experience()] };
  expect((await apply(service, more)).json.changed).toBe(true);
  expect(await rows(url, 'SELECT FROM elsewhere.sessions')).toEqual([]);
});

/** The expiry must be in the future when the request arrives: doubles the time if the machine is too slow. */
async function keyThatExpiresSoon(service: ServiceProcess, projectId: string) {
  for (let seconds = 3; ; seconds *= 2) {
    const expiresAt = new Date(Date.now() + seconds * 1000).toISOString();
    const body = { mode: 'test', scopes: ['sessions:create'], expiresAt };
    const path = `/admin/projects/${projectId}/keys`;
    const { status, json } = await service.admin({ method: 'POST', path, body });
    if (status === 201) return { key: json.key as string, keyId: json.keyId as string, expiresAt };
    expect(seconds, JSON.stringify(json)).toBeLessThan(100);
  }
}
