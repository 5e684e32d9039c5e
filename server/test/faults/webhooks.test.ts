import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { postgresFleet, processFolder, until } from '@session-launch/testing/fleet.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { expect, type TestContext, test } from 'vitest';
import { openEmbedded } from '../../src/store/embedded.ts';
import { effort, isLong } from '../harness/effort.ts';
import { seededRandom } from '../harness/random.ts';
import { answerWith, createWebhook, type Receiver, startReceiver } from '../harness/webhook-receiver.ts';
import { LiveLoad } from './live-sessions.ts';
import { type Ask, askAt, askEmbedded } from './stored.ts';

const allowPrivate = { WEBHOOK_ALLOW_PRIVATE: 'on' };
const sessions = effort(500, 5_000);
const kills = effort(2, 5);
/** In the short test, the receiver is back before the first retry. */
const awayMs = effort(3_000, 60_000);
const patienceMs = effort(240_000, 1_200_000);

/** Closes a receiver for a while, and opens it at the same address. */
async function goAway(receiver: Receiver): Promise<void> {
  await receiver.close();
  await sleep(awayMs);
  await receiver.reopen();
}

/** Runs sessions while processes are killed one after the other and the receiver is away. */
async function throughFaults(
  context: TestContext,
  processes: Promise<ServiceProcess>[],
  start: () => Promise<ServiceProcess>,
) {
  const random = seededRandom(context);
  const receiver = await startReceiver();
  context.onTestFinished(() => receiver.close());
  const world = await createWorld(await processes[0]!);
  const webhook = await createWebhook(await processes[0]!, world.projectId, {
    ...receiver,
    events: ['session.created', 'session.started', 'session.ended'],
  });
  let turn = 0;
  const load = new LiveLoad({ world, workers: 8, target: () => processes[turn++ % processes.length]! });
  const away = sleep(500).then(() => goAway(receiver));
  try {
    for (let round = 0; round < kills; round++)
      for (let n = 0; n < processes.length; n++) {
        const before = load.seen.length;
        const step = sessions / kills / processes.length;
        await until('sessions', async () => load.seen.length >= before + step, 600_000);
        await sleep(random() * 300);
        processes[n] = processes[n]!.then((one) => one.kill('SIGKILL')).then(start);
        await processes[n];
      }
    await until('all sessions', async () => load.seen.length >= sessions, 600_000);
  } finally {
    await Promise.all([load.stop(), away]);
  }
  return { receiver, webhook: { projectId: world.projectId, webhookId: webhook.webhookId }, world };
}

/** Sends again what waits for a retry in minutes. The long test waits for the retries. */
async function hurry(service: ServiceProcess, webhook: Webhook): Promise<void> {
  if (isLong) return;
  const path = `/admin/projects/${webhook.projectId}/webhooks/${webhook.webhookId}/deliveries`;
  const { json } = await service.admin({ path: `${path}?status=pending&limit=100` });
  for (const { eventId, nextAttemptAt } of json.deliveries ?? [])
    if (nextAttemptAt !== undefined && Date.parse(nextAttemptAt) > Date.now() + 10_000)
      await service.admin({ method: 'POST', path: `${path}/${eventId}/replay` });
}

interface Webhook {
  projectId: string;
  webhookId: string;
}

const expectedEvents = (projectId: string) => `
  SELECT id || ' session.created' AS event FROM sessions WHERE project_id = '${projectId}'
  UNION ALL SELECT id || ' session.started' FROM sessions WHERE project_id = '${projectId}' AND started_at IS NOT NULL
  UNION ALL SELECT id || ' session.ended' FROM sessions WHERE project_id = '${projectId}' AND ended_at IS NOT NULL`;
const undelivered = `
  SELECT (SELECT count(*)::integer FROM outbox) + (SELECT count(*)::integer FROM webhook_deliveries WHERE status <> 'delivered') AS count`;
const repeated = `SELECT event_id AS id FROM webhook_deliveries WHERE attempt_count > 1`;

/** Whether the receiver has accepted everything that the database contains. */
async function isComplete(ask: Ask, receiver: Receiver, projectId: string): Promise<boolean> {
  const [left] = await ask<{ count: number }>(undelivered);
  if (left!.count > 0) return false;
  return (await missing(ask, receiver, projectId)).length === 0;
}

async function missing(ask: Ask, receiver: Receiver, projectId: string): Promise<string[]> {
  const events = await ask<{ event: string }>(expectedEvents(projectId));
  const accepted = new Set(receiver.accepted().map(nameOf));
  return events.map(({ event }) => event).filter((event) => !accepted.has(event));
}

const nameOf = ({ data, type }: Receiver['received'][number]) => `${data.sessionId} ${type}`;

/** Each event has one id; apart from those that were sent again because the receiver was away, they arrive in the order of their ids. */
async function expectOrder(ask: Ask, receiver: Receiver): Promise<void> {
  const byName = new Map<string, Set<string>>();
  for (const one of receiver.received)
    byName.set(nameOf(one), (byName.get(nameOf(one)) ?? new Set()).add(one.eventId));
  expect([...byName].filter(([, ids]) => ids.size > 1)).toEqual([]);
  const late = new Set((await ask<{ id: string }>(repeated)).map(({ id }) => id));
  const firsts = [...new Set(receiver.accepted().map(({ eventId }) => eventId))].filter(
    (id) => !late.has(id),
  );
  expect(firsts.length).toBeGreaterThan(sessions);
  expect(firsts).toEqual([...firsts].sort());
}

test('every event arrives, in order, while two processes are killed and the receiver is away, on PostgreSQL', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const start = () => fleet.start(allowPrivate);
  const first = start();
  await first;
  const processes = [first, start()];
  const { receiver, world, webhook } = await throughFaults(context, processes, start);
  const ask = askAt(fleet.databaseUrl);
  const isDone = async () => {
    await hurry(await processes[0]!, webhook);
    return isComplete(ask, receiver, world.projectId);
  };
  await until('all events', isDone, patienceMs).catch(async (error) => {
    expect(await missing(ask, receiver, world.projectId), String(error)).toEqual([]);
    throw error;
  });
  await expectOrder(ask, receiver);
});

test('every event arrives, in order, while the process is killed and the receiver is away, on the embedded engine', async (context) => {
  const { path, start } = await processFolder(context.onTestFinished);
  const DATA_DIR = await prepareDataFolder(join(path, 'data'));
  const processes = [start({ DATA_DIR, ...allowPrivate })];
  const { receiver, world, webhook } = await throughFaults(context, processes, () =>
    start({ DATA_DIR, ...allowPrivate }),
  );
  let service = await processes[0]!;
  const outbox = async () =>
    Number(
      /^session_launch_webhook_outbox_seconds (\S+)$/m.exec(
        (await service.admin({ path: '/metrics' })).text,
      )?.[1],
    );
  const pendingPath = `/admin/projects/${world.projectId}/webhooks/${webhook.webhookId}/deliveries?status=pending&limit=1`;
  /** Waits until all events have arrived, kills the process and opens its database. */
  const read = async () => {
    await until(
      'all events',
      async () => {
        await hurry(service, webhook);
        const { json } = await service.admin({ path: pendingPath });
        return (await outbox()) === 0 && json.deliveries.length === 0;
      },
      patienceMs,
    );
    await service.kill('SIGKILL');
    return openEmbedded(DATA_DIR);
  };
  let database = await read();
  let ask = askEmbedded(database);
  // Sessions whose runtime was lost may have ended just before the kill.
  const left = async () => (await ask<{ count: number }>(undelivered))[0]!.count;
  for (let n = 0; n < 3 && (await left()) > 0; n++) {
    await database.close();
    service = await start({ DATA_DIR, ...allowPrivate });
    database = await read();
    ask = askEmbedded(database);
  }
  context.onTestFinished(() => database.close());
  expect(await left()).toBe(0);
  expect(await missing(ask, receiver, world.projectId)).toEqual([]);
  await expectOrder(ask, receiver);
});

test('two processes share the webhooks, and send no event twice', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const one = await fleet.start(allowPrivate);
  const services = [one, await fleet.start(allowPrivate)];
  const receivers = await Promise.all(Array.from({ length: 8 }, () => startReceiver()));
  context.onTestFinished(async () => {
    for (const receiver of receivers) await receiver.close();
  });
  const world = await createWorld(one);
  for (const receiver of receivers)
    await createWebhook(one, world.projectId, { ...receiver, events: ['session.created'] });
  const count = effort(200, 2_000);
  for (let n = 0; n < count; n += 10)
    await Promise.all(Array.from({ length: 10 }, (_, i) => launched(services[i % 2]!, world)));
  await Promise.all(
    receivers.map((receiver) =>
      until('all events', async () => receiver.received.length >= count, patienceMs),
    ),
  );
  for (const { received } of receivers) {
    const ids = received.map(({ eventId }) => eventId);
    expect(ids).toHaveLength(count);
    expect(ids).toEqual([...new Set(ids)].sort());
  }
  for (const service of services) {
    const { text } = await service.admin({ path: '/metrics' });
    const sent = /^session_launch_webhook_attempt_seconds_count\{outcome="delivered"\} (\d+)$/m.exec(text);
    expect(Number(sent?.[1])).toBeGreaterThan(0);
  }
});

test('a process that dies in the middle of an attempt is taken over within 60 seconds', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const dying = await fleet.start(allowPrivate);
  const receiver = await startReceiver(() => undefined);
  context.onTestFinished(() => receiver.close());
  const world = await createWorld(dying);
  await createWebhook(dying, world.projectId, { ...receiver, events: ['session.created'] });
  await launched(dying, world);
  await receiver.until(() => receiver.received.length === 1);
  await fleet.start(allowPrivate);
  receiver.answer = answerWith(204);
  const killedAt = performance.now();
  await dying.kill('SIGKILL');
  await receiver.until(() => receiver.accepted().length === 1);
  expect(performance.now() - killedAt).toBeLessThan(60_000);
  const [first, again] = receiver.received;
  expect(again!.eventId).toBe(first!.eventId);
});

test('a process that stops hands over at once, and nothing is sent twice', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const stopping = await fleet.start(allowPrivate);
  const receiver = await startReceiver((received, response) => {
    setTimeout(() => answerWith(204)(received, response, undefined as never), 20);
  });
  context.onTestFinished(() => receiver.close());
  const world = await createWorld(stopping);
  await createWebhook(stopping, world.projectId, { ...receiver, events: ['session.created'] });
  const staying = await fleet.start(allowPrivate);
  const count = 200;
  for (let n = 0; n < count; n += 20)
    await Promise.all(Array.from({ length: 20 }, () => launched(staying, world)));
  await receiver.until(() => receiver.received.length >= 20);
  await stopping.kill('SIGTERM');
  const stoppedAt = performance.now();
  await until('all events', async () => receiver.accepted().length >= count);
  expect(receiver.received.map(({ eventId }) => eventId)).toEqual(
    [...new Set(receiver.received.map(({ eventId }) => eventId))].sort(),
  );
  // Far below the time after which the lease of a dead process ends.
  expect(performance.now() - stoppedAt).toBeLessThan(isLong ? 40_000 : 35_000);
});

test('events of a time in which the database is away are not lost, and those in flight are not repeated', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const service = await fleet.start(allowPrivate);
  const receiver = await startReceiver();
  context.onTestFinished(() => receiver.close());
  const world = await createWorld(service);
  await createWebhook(service, world.projectId, { ...receiver, events: ['session.created'] });
  for (let round = 1; round <= 5; round++) {
    await Promise.all(Array.from({ length: 10 }, () => launched(service, world)));
    await onDatabase(fleet.databaseUrl, (client) =>
      client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      ),
    );
    await until('the events of this round', async () => receiver.accepted().length >= round * 10);
  }
  const ids = receiver.received.map(({ eventId }) => eventId);
  expect(ids).toEqual([...new Set(ids)].sort());
});
