import { connect, launched, report } from '@session-launch/testing/lifecycle.ts';
import { createWorld, mintFromServer, sessionsOf, type World } from '@session-launch/testing/world.ts';
import pino from 'pino';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { firstIdAt, newId } from '../../src/primitives/ids.ts';
import { Retention } from '../../src/sessions/retention.ts';
import { forgetExpiredClaims } from '../../src/start/housekeeping.ts';
import { useService } from '../harness/service.ts';
import { rollUpAll } from '../harness/usage.ts';

const service = useService();
let world: World;
beforeAll(async () => {
  world = await createWorld(service);
});

const day = 86_400_000;
const query = <Row>(text: string, values: unknown[] = []) =>
  service.database.query<Row>('admin', { name: '', text }, values);
const left = async () => (await sessionsOf(service, world.projectId)).map(({ sessionId }) => sessionId);
const log = pino({ level: 'silent' });

/** Runs the retention as maintenance does, `inDays` days from now. */
async function run(days: number, inDays: number): Promise<void> {
  await rollUpAll(service.database);
  await new Retention({ database: service.database, log }, days).run(new Date(Date.now() + inDays * day));
}

async function ended(): Promise<string> {
  const { sessionId } = await launched(service, world);
  const headers = { Authorization: `Bearer ${world.key}` };
  await service.call({ method: 'POST', path: `/v1/sessions/${sessionId}/end`, headers });
  return sessionId;
}

beforeEach(async () => {
  await query('DELETE FROM sessions WHERE project_id = $1', [world.projectId]);
});

test('sessions that ended or expired before the retention period are deleted, and no others', async () => {
  const [over, waiting, live] = [
    await ended(),
    await launched(service, world),
    await launched(service, world),
  ];
  await connect(service, live);
  await run(30, 29.9);
  expect(new Set(await left())).toEqual(new Set([over, waiting.sessionId, live.sessionId]));
  // An active session is never deleted, however long it lasts.
  await run(30, 31);
  expect(await left()).toEqual([live.sessionId]);
  await report(service, [{ sessionId: live.sessionId, seconds: 0, ended: 'client_ended' }]);
  await run(30, 29.9);
  expect(await left()).toEqual([live.sessionId]);
  await run(30, 31);
  expect(await left()).toEqual([]);
});

test('a session with an idempotency record is kept until the record is deleted', async () => {
  const { json } = await mintFromServer(
    service,
    world.key,
    { experienceId: world.experienceId },
    { 'Idempotency-Key': 'kept' },
  );
  const { sessionId } = json.session;
  await run(1, 2);
  expect(await left()).toEqual([sessionId]);
  await query(`UPDATE idempotency_keys SET expires_at = now() - interval '1 hour' WHERE session_id = $1`, [
    sessionId,
  ]);
  await forgetExpiredClaims(service.database);
  await run(1, 2);
  expect(await left()).toEqual([]);
});

test('many sessions are deleted in batches over several rounds, and recent ones are scanned once', async () => {
  const sample = await ended();
  // More than twenty batches; every third session ended only now.
  await query(
    `INSERT INTO sessions
     SELECT (json_populate_record(s, json_build_object(
              'id', 'ses_0' || lpad(i::text, 25, '0'),
              'created_at', now() - interval '90 days', 'expires_at', now() - interval '89 days',
              'ended_at', CASE WHEN i % 3 = 0 THEN now() ELSE now() - interval '80 days' END))).*
       FROM sessions s, generate_series(1, 240) i WHERE s.id = $1`,
    [sample],
  );
  await rollUpAll(service.database);
  const retention = new Retention({ database: service.database, log }, 30);
  const count = async () =>
    (await query('SELECT FROM sessions WHERE project_id = $1', [world.projectId])).length;
  // With a time limit of zero, one batch is deleted.
  await retention.run(new Date(), 0);
  expect(await count()).toBeGreaterThan(230);
  expect(await count()).toBeLessThan(241);
  for (let round = 0; round < 30; round++) await retention.run(new Date(), 0);
  expect(await count()).toBe(81);
});

test('a round of deletion stops at the next pause when the process ends', async () => {
  const sample = await ended();
  await query(
    `INSERT INTO sessions
     SELECT (json_populate_record(s, json_build_object(
              'id', 'ses_0' || lpad(i::text, 25, '0'), 'created_at', now() - interval '90 days',
              'expires_at', now() - interval '89 days', 'ended_at', now() - interval '80 days'))).*
       FROM sessions s, generate_series(1, 100) i WHERE s.id = $1`,
    [sample],
  );
  await rollUpAll(service.database);
  const retention = new Retention({ database: service.database, log }, 30);
  const round = retention.run();
  retention.stop();
  await round;
  const rest = (await left()).length;
  expect(rest).toBeGreaterThan(1);
  expect(rest).toBeLessThan(101);
  // A round that was not stopped deletes all of them.
  await new Retention({ database: service.database, log }, 30).run(new Date(), 60_000);
  expect(await left()).toEqual([sample]);
});

test('several processes share the deletion', async () => {
  for (let n = 0; n < 20; n++) await ended();
  await Promise.all(Array.from({ length: 4 }, () => run(1, 2)));
  expect(await left()).toEqual([]);
});

test('deletions do not wait for the disk, and statements after them do', async () => {
  const show = 'SHOW synchronous_commit';
  const before = await query(show);
  const during = await service.database.transaction(async (transaction) => {
    await transaction.query({ text: `SELECT delete_old_sessions('', '', now(), 1)` });
    return transaction.query({ text: show });
  });
  expect([before, during, await query(show)]).toEqual([
    [{ synchronous_commit: 'on' }],
    [{ synchronous_commit: 'off' }],
    [{ synchronous_commit: 'on' }],
  ]);
});

test('session ids sort by creation time, so a time has a first id', () => {
  const before = firstIdAt('ses', Date.now());
  const id = newId('ses');
  expect(id > before).toBe(true);
  expect(id < firstIdAt('ses', Date.now() + 1)).toBe(true);
  expect(firstIdAt('ses', Date.now() - day) < before).toBe(true);
});
