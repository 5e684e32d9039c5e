import { generateKeyPairSync } from 'node:crypto';
import { connect, launched, report } from '@session-launch/testing/lifecycle.ts';
import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import pino from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeletedProjects } from '../../src/editing/delete-project.ts';
import { openSecret, sealSecret } from '../../src/outbound/sealed-secret.ts';
import { firstIdAt } from '../../src/primitives/ids.ts';
import { SessionChanges } from '../../src/sessions/session-changes.ts';
import { endLost } from '../../src/sessions/silence.ts';
import { openChanges } from '../../src/store/changes.ts';
import { parseSigningKeys } from '../../src/tokens/signing-keys.ts';
import { deleteOldDeliveries } from '../../src/webhooks/queue.ts';
import { resealSecrets } from '../../src/webhooks/reseal.ts';
import { retryAfterMs } from '../../src/webhooks/schedule.ts';
import { noHousekeeping, useService } from '../harness/service.ts';
import { answerWith, createWebhook, type Receiver, startReceiver } from '../harness/webhook-receiver.ts';

const service = useService({}, noHousekeeping);
let world: World;
let receiver: Receiver;
beforeEach(async () => {
  world = await createWorld(service);
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const query = <Row>(text: string, values: unknown[] = []) =>
  service.database.query<Row>('admin', { text }, values);
const types = () => receiver.accepted().map(({ type }) => type);
const got = (count: number) => receiver.until(() => receiver.accepted().length >= count);
const end = (sessionId: string) =>
  service.call({
    method: 'POST',
    path: `/v1/sessions/${sessionId}/end`,
    headers: { Authorization: `Bearer ${world.key}` },
  });
/** Makes waiting deliveries of a webhook due, as if time had passed. */
async function passTime(webhookId: string): Promise<void> {
  await query('UPDATE webhook_deliveries SET next_at = now() WHERE webhook_id = $1 AND next_at IS NOT NULL', [
    webhookId,
  ]);
  await query('UPDATE webhook_queues SET due_at = now(), held_until = NULL WHERE webhook_id = $1', [
    webhookId,
  ]);
}

test('a session is announced when it is created, starts and ends, signed by Standard Webhooks', async () => {
  const webhook = await createWebhook(service, world.projectId, receiver);
  const minted = await mintFromServer(service, world.key, {
    experienceId: world.experienceId,
    userId: 'ü-1',
    metadata: { order: '4711' },
  });
  const { launch } = minted.json;
  await connect(service, launch);
  await report(service, [{ sessionId: launch.sessionId, seconds: 0 }]);
  const ended = await end(launch.sessionId);
  await got(3);
  const [first, second, third] = receiver.received;
  expect(types()).toEqual(['session.created', 'session.started', 'session.ended']);
  expect(first!.data).toEqual(minted.json.session);
  expect(second!.data).toMatchObject({ status: 'active', startedAt: expect.any(String), userId: 'ü-1' });
  expect(second!.data).not.toHaveProperty('endedAt');
  expect(third!.data).toEqual(ended.json.session ?? ended.json);
  const ids = receiver.received.map(({ eventId }) => eventId);
  expect(ids).toEqual([...ids].sort());
  for (const { body, headers } of receiver.received) {
    expect(new Webhook(webhook.secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(headers['content-type']).toBe('application/json');
    expect(body).not.toContain(launch.sessionToken);
  }
  expect(JSON.parse(first!.body).timestamp).toBe(minted.json.session.createdAt);
  expect(JSON.parse(third!.body).timestamp).toBe((third!.data as { endedAt: string }).endedAt);

  const { deliveries } = await webhook.get('/deliveries');
  expect(deliveries.map(({ eventId }: { eventId: string }) => eventId)).toEqual(ids.reverse());
  expect(deliveries[0]).toMatchObject({
    status: 'delivered',
    attempts: [{ status: 204, milliseconds: expect.any(Number) }],
    body: JSON.parse(third!.body),
  });
  expect((await webhook.get()).lastDeliveredAt).toEqual(expect.any(String));
});

test('ends by reports, by a lost runtime and by an operator are announced once', async () => {
  await createWebhook(service, world.projectId, { ...receiver, events: ['session.ended'] });
  const launches = await Promise.all([1, 2, 3].map(() => launched(service, world)));
  for (const launch of launches) await connect(service, launch, 'rt_ends');
  const [reported, lost, ended] = launches.map(({ sessionId }) => sessionId) as [string, string, string];
  const said = [{ sessionId: reported, seconds: 0, ended: 'client_left' }];
  await report(service, said, 'rt_ends');
  await report(service, said, 'rt_ends');
  const [row] = await query<{ at: string }>(
    'SELECT (extract(epoch FROM reported_at) * 1000)::bigint::text AS at FROM active_sessions WHERE session_id = $1',
    [lost],
  );
  await query('UPDATE active_sessions SET runtime_id = $2 WHERE session_id = $1', [lost, 'rt_lost']);
  await query('UPDATE sessions SET runtime_id = $2 WHERE id = $1', [lost, 'rt_lost']);
  const silent = JSON.stringify([{ runtimeId: 'rt_lost', reportedAt: Number(row!.at) }]);
  await service.database.query('everyday', endLost, [silent, 10]);
  for (let i = 0; i < 2; i++) await service.admin({ method: 'POST', path: `/admin/sessions/${ended}/end` });
  await got(3);
  const reasons = Object.fromEntries(
    receiver.received.map(({ data }) => [data.sessionId, data.endReason] as const),
  );
  expect(reasons).toEqual({ [reported]: 'client_left', [lost]: 'runtime_lost', [ended]: 'api_request' });
  expect(await query('SELECT 1 FROM outbox')).toEqual([]);
  expect(receiver.received).toHaveLength(3);
});

test('a session that no client connects to is announced as expired, others are not', async () => {
  await createWebhook(service, world.projectId, { ...receiver, events: ['session.expired'] });
  const [forgotten, used, ended] = await Promise.all([1, 2, 3].map(() => launched(service, world)));
  await connect(service, used!);
  await end(ended!.sessionId);
  await query(
    `UPDATE sessions SET created_at = created_at - interval '1 hour', expires_at = now() - interval '11 seconds'
                WHERE id = $1`,
    [forgotten!.sessionId],
  );
  await query(`UPDATE session_expiries SET expires_at = now() - interval '11 seconds'`);
  await got(1);
  expect(receiver.received[0]).toMatchObject({
    type: 'session.expired',
    data: { sessionId: forgotten!.sessionId, status: 'expired' },
  });
  await receiver.until(() => true);
  expect(await query('SELECT 1 FROM session_expiries')).toEqual([]);
  expect(receiver.received).toHaveLength(1);
});

test('publishing is announced, with the published revision', async () => {
  await createWebhook(service, world.projectId, { ...receiver, events: ['experience.published'] });
  const [experience] = world.file.experiences;
  const title = 'A new title';
  const file = { ...world.file, experiences: [{ ...experience!, title }] };
  expect((await service.admin({ method: 'POST', path: '/admin/projects', body: file })).status).toBe(200);
  await got(1);
  expect(receiver.received[0]).toMatchObject({
    type: 'experience.published',
    data: { projectId: world.projectId, experienceId: world.experienceId, revision: 2, title },
  });
});

test('other events, other projects and deleted webhooks get nothing', async () => {
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.started'] });
  const other = await createWorld(service);
  await createWebhook(service, other.projectId, { ...receiver, events: ['session.created'] });
  await launched(service, world);
  const { sessionId } = await launched(service, other);
  await got(1);
  expect(receiver.received[0]!.data.sessionId).toBe(sessionId);
  expect((await webhook.remove()).status).toBe(204);
  const launch = await launched(service, world);
  await connect(service, launch);
  await launched(service, other);
  await got(2);
  expect(receiver.received.map(({ type }) => type)).toEqual(['session.created', 'session.created']);
});

test('a failed event is sent again with the same id and later; the others are not delayed', async () => {
  let failures = 0;
  receiver.answer = (one, response, request) =>
    answerWith(one.type === 'session.created' && failures++ < 1 ? 500 : 200, {}, 'an\0swer')(
      one,
      response,
      request,
    );
  const webhook = await createWebhook(service, world.projectId, receiver);
  const launch = await launched(service, world);
  await connect(service, launch);
  await got(1);
  expect(types()).toEqual(['session.started']);
  await receiver.until(() => receiver.received.length === 2);
  const pendingOf = async () => (await webhook.get('/deliveries?status=pending')).deliveries;
  await expect.poll(async () => (await pendingOf()).length, { timeout: 20_000 }).toBe(1);
  const pending = await pendingOf();
  expect(pending[0]).toMatchObject({
    status: 'pending',
    nextAttemptAt: expect.any(String),
    attempts: [{ status: 500, response: 'an\u{fffd}swer' }],
  });
  const waits = Date.parse(pending[0].nextAttemptAt) - Date.parse(pending[0].attempts[0].at);
  expect(waits).toBeGreaterThanOrEqual(retryAfterMs[0]! * 0.9);
  await passTime(webhook.webhookId);
  await got(2);
  const [failed, , again] = receiver.received;
  expect(again!.eventId).toBe(failed!.eventId);
  expect(again!.body).toBe(failed!.body);
});

test('while the receiver is away, later events wait, and then arrive in order', async () => {
  receiver.answer = answerWith(503, { 'Retry-After': '600' });
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  for (let i = 0; i < 5; i++) await launched(service, world);
  await receiver.until(() => receiver.received.length >= 1);
  const pendingOf = async () => (await webhook.get('/deliveries?status=pending')).deliveries;
  await expect.poll(async () => (await pendingOf()).at(-1)?.attempts.length, { timeout: 20_000 }).toBe(1);
  expect(receiver.received).toHaveLength(1);
  const [{ nextAttemptAt, attempts }] = (await pendingOf()).slice(-1);
  expect(Date.parse(nextAttemptAt) - Date.parse(attempts[0].at)).toBeGreaterThanOrEqual(600_000);
  expect((await webhook.get()).failingSince).toEqual(expect.any(String));
  receiver.answer = answerWith(204);
  await passTime(webhook.webhookId);
  await got(5);
  const ids = receiver.accepted().map(({ eventId }) => eventId);
  expect(ids).toEqual([...ids].sort());
  await expect.poll(() => webhook.get(), { timeout: 20_000 }).not.toHaveProperty('failingSince');
});

test('events behind one that failed for the first time wait until its retry', async () => {
  receiver.answer = answerWith(503);
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  await launched(service, world);
  await receiver.until(() => receiver.received.length === 1);
  const waits = () =>
    query<{ at: Date; until: Date }>(
      `SELECT d.next_at AS at, q.held_until AS until FROM webhook_deliveries d JOIN webhook_queues q USING (webhook_id)
        WHERE d.webhook_id = $1 AND d.next_at IS NOT NULL`,
      [webhook.webhookId],
    );
  await expect.poll(waits, { timeout: 20_000 }).toHaveLength(1);
  const [{ at, until } = expect.fail()] = await waits();
  expect(until).toEqual(at);
});

test('410 disables the webhook; what waits is sent when it is enabled again', async () => {
  receiver.answer = answerWith(410);
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  for (let i = 0; i < 3; i++) await launched(service, world);
  await expect
    .poll(() => webhook.get(), { timeout: 20_000 })
    .toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    });
  await launched(service, world);
  expect(receiver.received).toHaveLength(1);
  receiver.answer = answerWith(204);
  await webhook.patch({ enabled: true });
  await got(4);
  const ids = receiver.accepted().map(({ eventId }) => eventId);
  expect(ids).toEqual([...ids].sort());
});

test('an answer of the former URL neither disables the webhook nor delays its events', async () => {
  let answerFormer: () => void = () => undefined;
  receiver.answer = (one, response, request) => {
    answerFormer = () => answerWith(410, { 'Retry-After': '3600' })(one, response, request);
  };
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  await launched(service, world);
  await receiver.until(() => receiver.received.length === 1);
  const next = await startReceiver();
  await webhook.patch({ url: next.url });
  answerFormer();
  await launched(service, world);
  await next.until(() => next.received.length === 2);
  expect(await webhook.get()).toMatchObject({ enabled: true, url: next.url });
  await next.close();
});

test.each([
  ['deleted', (webhook: Awaited<ReturnType<typeof createWebhook>>) => webhook.remove()],
  ['disabled', (webhook: Awaited<ReturnType<typeof createWebhook>>) => webhook.patch({ enabled: false })],
])('when a webhook is %s, only the attempt in progress ends', async (_what, change) => {
  let answerFirst: () => void = () => undefined;
  receiver.answer = (one, response, request) => {
    receiver.answer = answerWith(204);
    answerFirst = () => answerWith(204)(one, response, request);
  };
  const events = ['session.created'];
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events });
  await webhook.patch({ enabled: false });
  for (let n = 0; n < 5; n++) await launched(service, world);
  await expect
    .poll(async () => (await webhook.get('/deliveries')).deliveries.length, { timeout: 20_000 })
    .toBe(5);
  await webhook.patch({ enabled: true });
  await receiver.until(() => receiver.received.length === 1);
  expect((await change(webhook)).status).toBeLessThan(300);
  answerFirst();
  const other = await startReceiver();
  const { patch } = await createWebhook(service, world.projectId, { ...other, events });
  await launched(service, world);
  await other.until(() => other.received.length === 1);
  await patch({ enabled: false });
  await other.close();
  expect(receiver.received).toHaveLength(1);
});

test('events that wait for a retry are sent at once, in order, to another URL', async () => {
  receiver.answer = answerWith(500, { 'Retry-After': '3600' });
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  for (let n = 0; n < 3; n++) await launched(service, world);
  const retries = async () =>
    (await webhook.get('/deliveries')).deliveries.filter(
      ({ nextAttemptAt }: { nextAttemptAt?: string }) => nextAttemptAt !== undefined,
    ).length;
  await expect.poll(retries, { timeout: 20_000 }).toBe(3);
  const next = await startReceiver();
  await webhook.patch({ url: next.url });
  await next.until(() => next.received.length === 3);
  const ids = next.received.map(({ eventId }) => eventId);
  expect(ids).toEqual([...ids].sort());
  await next.close();
});

test('a webhook that only failed for five days is disabled', async () => {
  receiver.answer = answerWith(500);
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  await launched(service, world);
  await expect.poll(async () => (await webhook.get()).failingSince, { timeout: 20_000 }).toBeDefined();
  await query(`UPDATE webhook_queues SET failing_since = now() - interval '5 days' WHERE webhook_id = $1`, [
    webhook.webhookId,
  ]);
  await passTime(webhook.webhookId);
  await expect
    .poll(() => webhook.get(), { timeout: 20_000 })
    .toMatchObject({
      enabled: false,
      disabledReason: 'failing',
    });
});

test('ten failed attempts end a delivery; a replay begins anew, with the same id', async () => {
  receiver.answer = answerWith(500);
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  await launched(service, world);
  const attempts = async () => (await webhook.get('/deliveries')).deliveries[0]?.attempts.length ?? 0;
  for (let n = 1; n <= 10; n++) {
    await expect.poll(attempts, { timeout: 20_000 }).toBe(n);
    if (n < 10) await passTime(webhook.webhookId);
  }
  const [failed] = (await webhook.get('/deliveries?status=failed')).deliveries;
  expect(failed).not.toHaveProperty('nextAttemptAt');
  receiver.answer = answerWith(200);
  const replay = await webhook.post(`/deliveries/${failed.eventId}/replay`);
  expect([replay.status, replay.json.status]).toEqual([202, 'pending']);
  await got(1);
  await expect
    .poll(async () => (await webhook.get('/deliveries')).deliveries[0], { timeout: 20_000 })
    .toMatchObject({ eventId: failed.eventId, status: 'delivered' });
  expect(await attempts()).toBe(11);
});

test('a period is sent again, in order, also to a webhook that did not exist then', async () => {
  await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  const from = new Date(Date.now() - 1000).toISOString();
  for (let i = 0; i < 5; i++) await launched(service, world);
  await got(5);
  const ids = receiver.accepted().map(({ eventId }) => eventId);
  const later = await startReceiver();
  const webhook = await createWebhook(service, world.projectId, { ...later, events: ['session.created'] });
  const period = { from, to: new Date(Date.now() + 1000).toISOString() };
  expect((await webhook.post('/replay', period)).json).toEqual({ events: 5 });
  await later.until(() => later.received.length === 5);
  expect(later.received.map(({ eventId }) => eventId)).toEqual(ids);
  await later.close();
});

test('a long period is sent again in the order of the ids, across pages and types', async () => {
  const events = ['session.created', 'session.ended'];
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events });
  await launched(service, world);
  await got(1);
  const firstId = firstIdAt('evt', Date.now());
  await query(
    `INSERT INTO webhook_events (id, project_id, type, at, subject, data)
     SELECT $3 || lpad(n::text, 8, '0'), project_id, ($1::text[])[n % 2 + 1],
            '2026-01-01'::timestamptz + n / 7 * interval '1 second', subject, data
       FROM webhook_events, generate_series(1, 1400) n WHERE project_id = $2`,
    [events, world.projectId, firstId],
  );
  const replay = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:03:00Z' };
  const expected = Array.from({ length: 1259 }, (_, n) => firstId + String(n + 1).padStart(8, '0'));
  expect((await webhook.post('/replay', replay)).json).toEqual({ events: expected.length });
  await got(1 + expected.length);
  expect(receiver.received.slice(1).map(({ eventId }) => eventId)).toEqual(expected);
});

test('a new secret signs at once, and the former one until its grace period ends', async () => {
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  const replaced = await webhook.post('/secret', { graceSeconds: 600 });
  await launched(service, world);
  await got(1);
  const [first] = receiver.received;
  expect(first!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
  for (const secret of [webhook.secret, replaced.json.secret])
    new Webhook(secret).verify(first!.body, first!.headers);
  await query('UPDATE webhooks SET former_secret_until = now() WHERE id = $1', [webhook.webhookId]);
  await launched(service, world);
  await got(2);
  const { body, headers } = receiver.received[1]!;
  new Webhook(replaced.json.secret).verify(body, headers);
  expect(() => new Webhook(webhook.secret).verify(body, headers)).toThrow();
  const [stored] = await query<{ secret: string }>('SELECT secret FROM webhooks WHERE id = $1', [
    webhook.webhookId,
  ]);
  expect(stored!.secret).not.toContain(replaced.json.secret.slice(6));
});

test('a test is sent now, and its answer is returned and listed', async () => {
  receiver.answer = answerWith(404, {}, 'no such path');
  const webhook = await createWebhook(service, world.projectId, receiver);
  await webhook.patch({ enabled: false });
  const tested = await webhook.post('/test');
  expect(tested.json).toEqual({
    eventId: receiver.received[0]!.eventId,
    delivered: false,
    status: 404,
    milliseconds: expect.any(Number),
    response: 'no such path',
  });
  expect(receiver.received[0]).toMatchObject({
    type: 'webhook.test',
    data: { webhookId: webhook.webhookId, projectId: world.projectId },
  });
  expect((await webhook.get('/deliveries')).deliveries).toMatchObject([
    { type: 'webhook.test', status: 'failed', attempts: [{ status: 404 }] },
  ]);
});

test('a forgotten user is in no event that is still stored', async () => {
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  const { experienceId } = world;
  const request = { experienceId, userId: 'planted-user', metadata: { note: 'planted-metadata' } };
  await mintFromServer(service, world.key, request);
  await got(1);
  await expect.poll(() => query('SELECT 1 FROM outbox')).toEqual([]);
  const path = `/admin/projects/${world.projectId}/users/planted-user`;
  expect((await service.admin({ method: 'DELETE', path })).status).toBe(200);
  const [{ eventId, body }] = (await webhook.get('/deliveries')).deliveries;
  expect(JSON.stringify(body)).not.toContain('planted');
  await webhook.post(`/deliveries/${eventId}/replay`);
  await got(2);
  expect(receiver.received[1]!.body).not.toContain('planted');
});

test('a start with another signing key seals secrets again, and reports those whose key is missing', async () => {
  const { webhookId, secret } = await createWebhook(service, world.projectId, receiver);
  const jwk = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const keySet = (...keys: object[]) => parseSigningKeys(JSON.stringify({ keys }), 'keys.json');
  const [older, newer] = [jwk(), jwk()];
  const sealed = sealSecret(await keySet(older), webhookId, secret);
  await query(
    `UPDATE webhooks SET secret = $2, former_secret = $2, former_secret_until = now() + interval '1 day' WHERE id = $1`,
    [webhookId, sealed],
  );
  const stored = async () =>
    (
      await query<{ secret: string; former: string }>(
        'SELECT secret, former_secret AS former FROM webhooks WHERE id = $1',
        [webhookId],
      )
    )[0]!;
  const errors: object[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(JSON.parse(line)) });
  await resealSecrets(service.database, await keySet(jwk()), log);
  expect(errors).toContainEqual(expect.objectContaining({ webhook: webhookId }));
  expect(await stored()).toEqual({ secret: sealed, former: sealed });
  await resealSecrets(service.database, await keySet(newer, older), log);
  const only = await keySet(newer);
  const { secret: again, former } = await stored();
  for (const one of [again, former]) expect(openSecret(only, webhookId, one)).toBe(secret);
});

test('the deletion of a project removes its webhooks, their events and what waits', async () => {
  receiver.answer = answerWith(503);
  const { webhookId } = await createWebhook(service, world.projectId, receiver);
  const { sessionId } = await launched(service, world);
  await receiver.until(() => receiver.received.length === 1);
  const path = `/admin/projects/${world.projectId}?confirm=${world.projectId}`;
  expect((await service.admin({ method: 'DELETE', path })).status).toBe(202);
  const lifecycle = {
    database: service.database,
    changes: new SessionChanges(service.database),
    log: pino({ level: 'silent' }),
    counts: { connected: () => undefined, metered: () => undefined, lost: () => undefined },
  };
  await new DeletedProjects(lifecycle, await openChanges(service.database)).run(60_000);
  for (const table of ['webhooks', 'webhook_events', 'session_expiries', 'outbox'])
    expect(await query(`SELECT 1 FROM ${table} WHERE project_id = $1`, [world.projectId]), table).toEqual([]);
  await deleteOldDeliveries(service.database, 'evt_', 1_000);
  expect(await query('SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1', [webhookId])).toEqual([]);
  expect(await query('SELECT 1 FROM sessions WHERE id = $1', [sessionId])).toEqual([]);
});

test('deliveries and events are deleted after 30 days', async () => {
  const webhook = await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  for (let i = 0; i < 3; i++) await launched(service, world);
  await got(3);
  await expect
    .poll(async () => (await webhook.get('/deliveries?status=delivered')).deliveries.length, {
      timeout: 20_000,
    })
    .toBe(3);
  const [, second] = receiver.received;
  await deleteOldDeliveries(service.database, second!.eventId, 10_000);
  const left = (await webhook.get('/deliveries')).deliveries;
  expect(left.map(({ eventId }: { eventId: string }) => eventId)).toEqual(
    receiver.received
      .slice(1)
      .map(({ eventId }) => eventId)
      .reverse(),
  );
  await deleteOldDeliveries(service.database, 'evt_~', 10_000);
  expect((await webhook.get('/deliveries')).deliveries).toEqual([]);
  expect(await query('SELECT 1 FROM webhook_events WHERE project_id = $1', [world.projectId])).toEqual([]);
});

test('what deleted webhooks have left in the outbox is removed', async () => {
  await query('DELETE FROM webhooks');
  const { sessionId } = await launched(service, world);
  await query(`INSERT INTO outbox (project_id, type, subject) VALUES ($1, 'session.created', $2)`, [
    world.projectId,
    sessionId,
  ]);
  await expect.poll(() => query('SELECT 1 FROM outbox'), { timeout: 20_000 }).toEqual([]);
});

test('looking at an empty outbox writes nothing', async () => {
  await createWebhook(service, world.projectId, receiver);
  await expect.poll(() => query('SELECT 1 FROM outbox'), { timeout: 20_000 }).toEqual([]);
  const [looked] = await query<{ written: string | null }>(
    `SELECT (SELECT pg_current_xact_id_if_assigned() FROM sequence_events(ARRAY['evt_~']))::text AS written`,
  );
  expect(looked).toEqual({ written: null });
});
