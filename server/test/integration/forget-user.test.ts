import { createHash } from 'node:crypto';
import { connect, report } from '@session-launch/testing/lifecycle.ts';
import { createWorld, expectError, mintFromServer, sessionsOf } from '@session-launch/testing/world.ts';
import { expect, inject, test } from 'vitest';
import { startService, useService } from '../harness/service.ts';

const service = useService();

const forget = (projectId: string, userId: string, target = service) =>
  target.admin({
    method: 'DELETE',
    path: `/admin/projects/${projectId}/users/${encodeURIComponent(userId)}`,
  });

/** Everything that the database stores, as text. */
async function stored(): Promise<string> {
  const tables = ['sessions', 'audit', 'idempotency_keys', 'active_sessions'];
  const rows = await Promise.all(
    tables.map((name) =>
      service.database.query<{ row: string }>('admin', { text: `SELECT t::text AS row FROM ${name} t` }),
    ),
  );
  return JSON.stringify(rows);
}

test('removes the user and the metadata from every session, ends the running ones, and from replays', async () => {
  const world = await createWorld(service);
  const userId = 'ada/ü?#%41 lovelace@example.com';
  const body = {
    experienceId: world.experienceId,
    userId,
    metadata: { order: 'planted-4711' },
    integration: { returnUrl: 'https://app.example.com/back' },
  };
  const keyed = { 'Idempotency-Key': 'one' };
  const first = await mintFromServer(service, world.key, body, keyed);
  expect(first.status, first.text).toBe(201);
  expect(first.text).toContain('planted-4711');
  // Replayed twice, so that the launch is replayed from memory.
  for (let n = 0; n < 2; n++)
    expect((await mintFromServer(service, world.key, body, keyed)).text).toBe(first.text);
  await connect(service, first.json.launch);
  await mintFromServer(service, world.key, body);
  const other = await mintFromServer(service, world.key, { ...body, userId: 'grace', metadata: {} });

  const answer = await forget(world.projectId, userId);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json).toEqual({ sessions: 2 });

  const replay = await mintFromServer(service, world.key, body, keyed);
  expect(replay.status, replay.text).toBe(first.status);
  const { userId: _, metadata: __, ...session } = first.json.session;
  expect(replay.json.session).toEqual(session);
  expect(replay.text).not.toMatch(/lovelace|planted/);
  expect(replay.json.launch.player).toEqual(first.json.launch.player);

  const sessions = await sessionsOf(service, world.projectId);
  expect(sessions.filter(({ status }) => status === 'ended')).toHaveLength(2);
  expect(sessions.find(({ userId }) => userId === 'grace')).toMatchObject({
    sessionId: other.json.session.sessionId,
    status: 'created',
  });
  const { json } = await report(service, [{ sessionId: session.sessionId, seconds: 1 }]);
  expect(json.end).toEqual([{ sessionId: session.sessionId, reason: 'api_request' }]);

  const left = await stored();
  expect(left).not.toContain('lovelace');
  expect(left).not.toContain('planted-4711');
  const { entries } = (
    await service.admin({ path: `/admin/audit?projectId=${world.projectId}&action=user.forget` })
  ).json;
  const digest = createHash('sha256').update(userId).digest('hex').slice(0, 16);
  expect(entries).toMatchObject([{ target: `usr_${digest}`, changes: [{ path: 'sessions', before: 2 }] }]);

  // Nothing is left to forget, so nothing is recorded.
  expect((await forget(world.projectId, userId)).json).toEqual({ sessions: 0 });
});

/** The embedded engine has only one process, so these tests are not defined there. */
const onPostgres =
  inject('engine') === 'postgres' ? test : (_title: string, _work: () => Promise<void>) => undefined;

onPostgres('a process that has the launch in memory replays it without the user', async () => {
  const near = await startService({}, service);
  try {
    const world = await createWorld(near);
    const body = { experienceId: world.experienceId, userId: 'eve', metadata: { a: 'planted' } };
    const mint = () => mintFromServer(near, world.key, body, { 'Idempotency-Key': 'two' });
    for (let n = 0; n < 3; n++) expect((await mint()).text).toContain('planted');
    expect((await forget(world.projectId, 'eve')).json).toEqual({ sessions: 1 });
    await expect.poll(async () => (await mint()).text).not.toMatch(/planted|"eve"/);
  } finally {
    await near.close();
  }
});

test('forgets thousands of sessions in batches, while runtimes report', async () => {
  const world = await createWorld(service);
  const { json } = await mintFromServer(service, world.key, {
    experienceId: world.experienceId,
    userId: 'many',
  });
  const { sessionId } = json.session;
  const text = `INSERT INTO sessions SELECT (json_populate_record(s, json_build_object('id', s.id || i))).*
                  FROM sessions s, generate_series(1, 1500) i WHERE s.id = '${sessionId}'`;
  await service.database.query('admin', { text });
  await connect(service, json.launch);
  const [forgotten] = await Promise.all([
    forget(world.projectId, 'many'),
    ...Array.from({ length: 10 }, () => report(service, [{ sessionId, seconds: 0 }])),
  ]);
  expect(forgotten?.json).toEqual({ sessions: 1501 });
  const left = `SELECT count(*)::integer AS n FROM sessions
                 WHERE project_id = '${world.projectId}' AND (user_id IS NOT NULL OR ended_at IS NULL)`;
  expect(await service.database.query('admin', { text: left })).toEqual([{ n: 0 }]);
  const counted = `SELECT active FROM active_counts WHERE project_id = '${world.projectId}'`;
  expect(await service.database.query('admin', { text: counted })).toEqual([{ active: 0 }]);
});

test('refuses a project that does not exist, and an id that is too long', async () => {
  const { projectId } = await createWorld(service);
  expectError(await forget('prj_nobody', 'ada'), 404, 'PROJECT_NOT_FOUND');
  expectError(await forget(projectId, 'x'.repeat(257)), 400, 'INVALID_REQUEST');
  expectError(await forget(projectId, 'a\0b'), 400, 'INVALID_REQUEST');
  expect((await forget(projectId, '🙂'.repeat(256))).json).toEqual({ sessions: 0 });
});
