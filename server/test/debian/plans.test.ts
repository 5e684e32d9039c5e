import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { editorOf } from '@session-launch/testing/editing.ts';
import { connect, type Launch, launched, report } from '@session-launch/testing/lifecycle.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import {
  createWorld,
  mintFromBrowser,
  mintFromServer,
  pageOrigin,
  type World,
} from '@session-launch/testing/world.ts';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findExperiences } from '../../src/content/experiences.ts';
import { DeletedProjects } from '../../src/editing/delete-project.ts';
import { firstIdAt, newId } from '../../src/primitives/ids.ts';
import { areHeld, areKnown, encodeBatch, findLaunches, sendBatch } from '../../src/recording/statement.ts';
import { forgetBatch } from '../../src/sessions/forget.ts';
import type { ChangeDeps } from '../../src/sessions/lifecycle.ts';
import { Retention } from '../../src/sessions/retention.ts';
import type { Session } from '../../src/sessions/session.ts';
import { encodeChanges, SessionChanges } from '../../src/sessions/session-changes.ts';
import { toRow } from '../../src/sessions/session-row.ts';
import { endLost, groupReports, SilenceWatch } from '../../src/sessions/silence.ts';
import { forgetExpiredClaims } from '../../src/start/housekeeping.ts';
import { openChanges } from '../../src/store/changes.ts';
import type { Database } from '../../src/store/database.ts';
import { readProgram } from '../../src/store/migrations/migrations.ts';
import {
  claimWebhooks,
  continueWebhook,
  deleteOldDeliveries,
  expireSessions,
  readQueueState,
  sequenceEvents,
} from '../../src/webhooks/queue.ts';
import { type ExecutedPlan, observedDatabase } from '../harness/observed-plans.ts';
import { type Service, startService } from '../harness/service.ts';
import { rollUpAll } from '../harness/usage.ts';
import { createWebhook } from '../harness/webhook-receiver.ts';

/** A tenth of PostgreSQL's `jit_above_cost`, so that a server with other settings and larger tables compiles nothing either. */
const maxCost = 10_000;
const storedSessions = 200_000;
const maxDeliveriesRead = 10_000;

let url: string;
let drop: () => Promise<void>;
const plans: ExecutedPlan[] = [];
beforeAll(async () => {
  ({ url, drop } = await clonedDatabase());
  await onDatabase(url, (client) =>
    client.query(`DO $$ BEGIN
      EXECUTE (SELECT string_agg(format('ALTER TABLE %I SET (autovacuum_enabled = off)', relname), ';') FROM pg_class
                WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace);
    END $$`),
  );
});
afterAll(() => drop());
beforeEach(() => {
  plans.length = 0;
});

const log = pino({ level: 'silent' });
const lifecycleOf = (database: Database): ChangeDeps => ({
  database,
  changes: new SessionChanges(database),
  log,
  counts: { connected: () => undefined, metered: () => undefined, lost: () => undefined },
});

/** Statements whose plan is too expensive or was compiled, each once. */
function expensive(): string[] {
  const found = plans.filter(({ cost, isCompiled }) => cost > maxCost || isCompiled);
  return [
    ...new Set(
      found.map(
        ({ statement, cost, isCompiled }) =>
          `${Math.round(cost)}${isCompiled ? ' JIT' : ''} ${statement.slice(0, 150)}`,
      ),
    ),
  ];
}

/** Statements on deliveries that read many of them, each once: of those that wait, only the next ones may be read. */
function reading(): string[] {
  const found = plans.filter(
    ({ statement, rows }) => statement.includes('webhook_deliveries') && rows > maxDeliveriesRead,
  );
  return [...new Set(found.map(({ statement, rows }) => `${rows} ${statement.slice(0, 150)}`))];
}

const given: Session['given'] = {
  mode: 'conversation',
  speechInputMode: 'auto',
  speechOnly: false,
  locale: 'en',
  token: { issuer: 'https://launch.example.com', issuedAt: 1, keyId: 'k' },
};

function sessionOf(world: World, createdAt: Date, id = newId('ses')): Session {
  return {
    id,
    projectId: world.projectId,
    experienceId: world.experienceId,
    revision: 1,
    livemode: false,
    source: 'server',
    userId: 'user-1',
    given,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 600_000),
    startedAt: null,
    seconds: 0,
    endedAt: null,
    endReason: null,
  };
}

const claim = { hash: '11'.repeat(32), fingerprint: '22'.repeat(32) };

/** Does what dispatchers of webhooks and operators who look at them do. */
async function exerciseWebhooks(service: Service, webhook: Awaited<ReturnType<typeof createWebhook>>) {
  const { database } = service;
  const { webhookId } = webhook;
  await expireSessions(database, 100);
  await sequenceEvents(
    database,
    Array.from({ length: 500 }, () => newId('evt')),
  );
  await claimWebhooks(database, 'worker', [], 50);
  const progress = { webhookId, worker: 'worker', isGone: false, most: 100 };
  const next = await continueWebhook(database, { ...progress, results: [] });
  const results = (next?.deliveries ?? []).map(({ eventId, attempts }, n) => ({
    eventId,
    attempt: attempts + 1,
    isDelivered: n % 2 === 0,
    retryMs: 5_000,
    record: { at: new Date().toISOString(), milliseconds: 1, status: 200 },
  }));
  await continueWebhook(database, { ...progress, results, most: 0 });
  const { deliveries } = await webhook.get('/deliveries');
  await webhook.get('/deliveries?status=failed');
  for (const { eventId } of deliveries.slice(0, 1)) await webhook.post(`/deliveries/${eventId}/replay`);
  const to = new Date();
  await webhook.post('/replay', {
    from: new Date(to.getTime() - 60_000).toISOString(),
    to: to.toISOString(),
  });
  await deleteOldDeliveries(database, firstIdAt('evt', Date.now() - 29 * 86_400_000), 100);
  await readQueueState(database);
}

/** Does everything that mints, runtimes and housekeeping do, several times: from the sixth call on, PostgreSQL may use a generic plan. */
async function exercise(service: Service, world: World): Promise<void> {
  const { database } = service;
  const { projectId, experienceId, key } = world;
  const headers = { Authorization: `Bearer ${key}` };
  const active: Launch[] = [];
  // Nothing listens there.
  const webhook = await createWebhook(service, projectId, {
    url: 'http://127.0.0.1:9/',
    events: [
      'session.created',
      'session.started',
      'session.ended',
      'session.expired',
      'experience.published',
    ],
  });
  for (let i = 0; i < 7; i++) {
    for (const idempotencyKey of ['a', `fresh-${newId('req')}`])
      await mintFromServer(
        service,
        key,
        { experienceId, userId: 'user-1' },
        { 'Idempotency-Key': idempotencyKey },
      );
    expect((await mintFromBrowser(service, { experienceId })).status).toBe(201);
    const one = await launched(service, world);
    expect((await connect(service, one, 'rt_test', '192.0.2.1')).status).toBe(200);
    active.push(one);
    await report(
      service,
      active.map(({ sessionId }) => ({ sessionId, seconds: 1 })),
    );
    await service.call({ path: `/v1/sessions/${one.sessionId}`, headers });
    await service.call({ method: 'POST', path: `/v1/sessions/${active.shift()!.sessionId}/end`, headers });
    await database.query('everyday', { text: 'SELECT outcome FROM connect_session($1, $2)' }, [
      one.sessionId,
      'rt_old',
    ]);
    await service.call({
      method: 'OPTIONS',
      path: '/v1/public-sessions',
      headers: { Origin: pageOrigin, 'Access-Control-Request-Method': 'POST' },
    });
    await findExperiences(database, [experienceId]);
    await areKnown(database, [claim]);
    await areHeld(database, [claim]);
    await findLaunches(database, [{ claim, quota: { projectId, day: '2026-01-01' } }]);
    // As a process of the previous version mints.
    await database.query(
      'recording',
      {
        text: `SELECT * FROM record_sessions(
          ARRAY[ROW ($1, $2, $3, 1, true, 'server', NULL, now(), now() + interval '1 minute')::session_to_record],
          '[{"locale":"en"}]', NULL, NULL, false)`,
      },
      [newId('ses'), projectId, experienceId],
    );
    // A mint that was delayed, and one that is sent again.
    const late = {
      session: toRow(
        sessionOf(
          world,
          new Date(Date.now() - 7_200_000),
          `${firstIdAt('ses', Date.now() - 7_200_000)}${newId('ses').slice(-16)}`,
        ),
      ),
    };
    const many = Array.from({ length: 255 }, () => ({
      session: toRow(sessionOf(world, new Date())),
      claim: { ...claim, hash: newHash() },
      quota: { projectId, day: '2026-01-01' },
    }));
    for (const retrying of [false, true]) await sendBatch(database, encodeBatch([late, ...many]), retrying);
    await database.query('everyday', { text: 'SELECT outcome FROM connect_client($1, $2, $3)' }, [
      late.session.id,
      'rt_late',
      null,
    ]);
    // A batch of connects and ends, and the same one sent again.
    const launches = many.slice(0, 100).map(({ session }) => ({ sessionId: session.id, projectId }));
    const changes = encodeChanges([
      ...launches.map((one, n) => ({ ...one, runtimeId: 'rt_batch', client: '192.0.2.1', attempt: n })),
      ...launches.map((one) => ({ ...one, reason: 'api_request' as const })),
      ...launches.slice(0, 5).map((one) => ({ ...one, reason: 'client_left' as const })),
    ]);
    for (const retrying of [false, true])
      await database.query('everyday', { text: 'SELECT outcome FROM change_sessions($1, $2, $3, 1000)' }, [
        ...changes,
        retrying,
      ]);
    await exerciseWebhooks(service, webhook);
    await rollUpAll(database, Date.now() - 3_600_000);
    await forgetExpiredClaims(database);
    const [group] = await database.query<object>('everyday', groupReports);
    await new SilenceWatch(lifecycleOf(database)).look();
    await database.query('everyday', endLost, [JSON.stringify([group]), 1]);
    await database.query('everyday', { text: `SELECT end_silent_sessions('-1 second', 1)` });
    await new Retention({ database, log }, 1).run(new Date(), 500);
    await database.transaction((tx) => forgetBatch(tx, projectId, 'user-1'));
    const other = await createWorld(service);
    const { sessionId } = await launched(service, other);
    await database.query('everyday', { text: 'SELECT ended_now FROM end_session($1, $2, $3)' }, [
      other.projectId,
      sessionId,
      'api_request',
    ]);
    const editor = editorOf({ admin: (call) => service.admin(call) });
    const unused = await createWorld(service);
    await editor.send('DELETE', `experiences/${unused.experienceId}`);
    for (const id of [other.projectId, unused.projectId])
      await editor.send('DELETE', `projects/${id}?confirm=${id}`);
    await new DeletedProjects(lifecycleOf(database), await openChanges(database)).run();
  }
}

let hashes = 0;
const newHash = () => (Date.now() * 1_000 + hashes++).toString(16).padStart(64, '0');

/** Inserts sessions of the last 30 days, of which one in a hundred is active, with idempotency records for every fourth. */
async function fill(world: World): Promise<void> {
  const slots = Array.from({ length: 720 }, (_, i) => firstIdAt('ses', Date.now() - (i + 2) * 3_600_000));
  const times = Array.from({ length: 720 }, (_, i) => new Date(Date.now() - (i + 2) * 3_600_000));
  await onDatabase(url, async (client) => {
    await client.query(
      `INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, user_id, given, created_at, expires_at,
                             started_at, runtime_id, ended_at, end_reason)
       SELECT ($3::text[])[(i - 1) / $7 + 1] || lpad(to_hex(i), 16, '0'), $1, $2, 1, false, 'server', 'user-' || i % 5000, $6::json,
              t, t + interval '10 minutes', t, 'rt_' || i % 20,
              CASE WHEN i % 100 > 0 THEN t + interval '1 minute' END, CASE WHEN i % 100 > 0 THEN 'client_ended' END
         FROM generate_series(1, $5::integer) i, LATERAL (SELECT ($4::timestamptz[])[(i - 1) / $7 + 1] AS t) slot`,
      [
        world.projectId,
        world.experienceId,
        slots,
        times,
        storedSessions,
        JSON.stringify({ ...given, metadata: { shop: '1' } }),
        Math.ceil(storedSessions / slots.length),
      ],
    );
    await client.query(
      `INSERT INTO active_sessions (session_id, project_id, runtime_id, started_at, reported_at, client)
       SELECT id, project_id, runtime_id, started_at, now(), '192.0.2.' || hashtext(id) % 200 FROM sessions
        WHERE ended_at IS NULL AND started_at IS NOT NULL AND runtime_id <> 'rt_test' AND runtime_id <> 'rt_late'
       ON CONFLICT DO NOTHING`,
    );
    // A webhook whose receiver has been away for a long time, and one that has got everything.
    await client.query(
      `INSERT INTO webhook_events (id, project_id, type, at, subject, data)
       SELECT 'evt_' || substr(s.id, 5), s.project_id, 'session.created', s.created_at, s.id, '{}' FROM sessions s`,
    );
    await client.query(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, status)
       SELECT w.id, e.id, CASE WHEN w.place = 1 THEN 'pending' ELSE 'delivered' END
         FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM webhooks WHERE project_id = $1) w
         CROSS JOIN webhook_events e ON CONFLICT DO NOTHING`,
      [world.projectId],
    );
    // The roll-up has a backlog of three days.
    await client.query('UPDATE usage_progress SET below = $1, next = $1', [slots[72]]);
    await client.query(
      `INSERT INTO idempotency_keys (hash, fingerprint, session_id, expires_at)
       SELECT sha256(id::bytea), '', id, now() + interval '1 day' FROM sessions WHERE hashtext(id) % 4 = 0 ON CONFLICT DO NOTHING`,
    );
  });
}

describe('no statement is compiled, has an estimated cost above 10,000, or reads all deliveries that wait', () => {
  let service: Service;
  let world: World;
  const open = async () => {
    service = await startService({}, { database: observedDatabase(url, plans), databaseUrl: url });
  };
  beforeAll(async () => {
    await open();
    const limits = {
      mintsPerMinutePerClient: 600,
      mintsPerMinute: 60_000,
      sessionsPerDay: 10_000_000,
      concurrentSessions: 100_000,
      concurrentSessionsPerClient: 10_000,
    };
    world = await createWorld(service, {
      project: { limits },
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
  });
  const reopened = async () => {
    await service.close();
    await service.database.close();
    await open();
  };
  afterAll(async () => {
    await service.close();
    await service.database.close();
  });

  test('on empty tables, and every SQL function was executed', async () => {
    await exercise(service, world);
    expect(expensive()).toEqual([]);
    expect(reading()).toEqual([]);
    const { functions } = await readProgram();
    const called = plans.map(({ statement }) => statement).join('\n');
    const triggers = /RETURNS trigger/;
    const missing = functions.filter(
      ({ name, statement }) => !triggers.test(statement) && !called.includes(`${name}(`),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('on large tables without statistics, with the plans that were cached while the tables were empty', async () => {
    await fill(world);
    await exercise(service, world);
    expect(expensive()).toEqual([]);
    expect(reading()).toEqual([]);
  });

  test('on large tables without statistics, with new plans', async () => {
    await reopened();
    await exercise(service, world);
    expect(expensive()).toEqual([]);
    expect(reading()).toEqual([]);
  });

  test('on large tables with statistics', async () => {
    await onDatabase(url, (client) => client.query('ANALYZE'));
    await exercise(service, world);
    await reopened();
    await exercise(service, world);
    expect(expensive()).toEqual([]);
    expect(reading()).toEqual([]);
  });
});
