import { postgresFleet, rows, until } from '@session-launch/testing/fleet.ts';
import {
  apply,
  createKey,
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromServer,
} from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';

/** Settings that a server, a database or a role may have for reasons of its own. */
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

test('what a database has set makes no difference', async ({ onTestFinished }) => {
  const fleet = await postgresFleet(onTestFinished);
  const url = fleet.databaseUrl;
  const name = new URL(url).pathname.slice(1);
  // Tables of the same names, in a place where they would be found first.
  await rows(url, 'CREATE SCHEMA elsewhere');
  for (const table of ['api_keys', 'sessions', 'experiences', 'schema_migrations'])
    await rows(url, `CREATE TABLE elsewhere.${table} (nothing integer)`);
  for (const [setting, value] of Object.entries(settings))
    await rows(url, `ALTER DATABASE ${name} SET ${setting} = ${value}`);

  const service = await fleet.start();
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

  const expiresAt = new Date(Date.now() + 3_000).toISOString();
  const { key, keyId } = await createKey(service, world.projectId, { expiresAt });
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
