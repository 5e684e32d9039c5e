import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresFleet, until } from '@session-launch/testing/fleet.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import type pg from 'pg';
import { expect, type TestContext, test } from 'vitest';
import { firstIdAt, newId } from '../../src/primitives/ids.ts';
import { readProgram } from '../../src/store/migrations/migrations.ts';
import { createWebhook } from '../harness/webhook-receiver.ts';

/** A receiver in a separate process, which counts requests and checks their order. */
const receiverProgram = `
  import { createServer } from 'node:http';
  let count = 0, last = '', disorder = 0, first = 0, latest = 0;
  const server = createServer((request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ count, disorder, ms: latest - first }));
    request.resume().on('end', () => {
      const id = request.headers['webhook-id'];
      if (id <= last) disorder++;
      last = id;
      latest = performance.now();
      first ||= latest;
      count++;
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));`;

async function fastReceiver(context: TestContext): Promise<string> {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'receiver.mjs');
  await writeFile(file, receiverProgram);
  const child = fork(file, { execArgv: [] });
  context.onTestFinished(async () => {
    child.kill();
    await folder.remove();
  });
  return new Promise((resolve) => child.once('message', (port) => resolve(`http://127.0.0.1:${port}/`)));
}

/** Inserts events that wait for a webhook, as sequence_events does. */
const insertBacklog = `
  WITH stored AS (
    INSERT INTO webhook_events (id, project_id, type, at, subject, data)
    SELECT $4 || lpad(n::text, 16, '0'), $2, 'session.created', now(), s.id, to_json(s)
      FROM generate_series(1, $3::integer) n, (SELECT * FROM sessions WHERE project_id = $2 LIMIT 1) s
    RETURNING id)
  INSERT INTO webhook_deliveries (webhook_id, event_id) SELECT $1, id FROM stored`;

test('one process sends 1,000 events a second to one fast receiver, in order', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const service = await fleet.start({ WEBHOOK_ALLOW_PRIVATE: 'on' });
  const url = await fastReceiver(context);
  const world = await createWorld(service);
  await mintFromServer(service, world.key, { experienceId: world.experienceId });
  const webhook = await createWebhook(service, world.projectId, { url, events: ['session.created'] });
  await webhook.patch({ enabled: false });
  const count = 10_000;
  await onDatabase(fleet.databaseUrl, async (client) => {
    await client.query(insertBacklog, [
      webhook.webhookId,
      world.projectId,
      count,
      firstIdAt('evt', Date.now()),
    ]);
    await client.query(`UPDATE webhook_queues SET due_at = '-infinity'`);
  });
  /** Seconds of CPU time that the service has used. */
  const cpu = async () =>
    Number(/^process_cpu_seconds_total (\S+)$/m.exec((await service.admin({ path: '/metrics' })).text)?.[1]);
  const before = await cpu();
  await webhook.patch({ enabled: true });
  const state = async () =>
    (await (await fetch(url)).json()) as { count: number; disorder: number; ms: number };
  await until('all events', async () => (await state()).count === count);
  const { disorder, ms } = await state();
  const rate = Math.round((count / ms) * 1000);
  const us = Math.round((((await cpu()) - before) / count) * 1e6);
  process.stderr.write(`webhooks: ${rate} events a second, ${us} µs of CPU time each in the service\n`);
  expect(disorder).toBe(0);
  expect(rate).toBeGreaterThanOrEqual(1_000);
});

/** The part of the CPU time of a mint that the database uses: 53 of 349 µs, from bench/scale.md. */
const databaseShare = 53 / 349;

/** Creates `record_launches` without what webhooks added, under another name. */
async function createFormer(client: pg.Client): Promise<void> {
  const { functions } = await readProgram();
  const { statement } = functions.find(({ name }) => name === 'record_launches')!;
  const former = statement
    .replace(/ {2}-- Nested, because[\s\S]*?^ {2}END IF;\n\n/m, '')
    .replace('FUNCTION record_launches(', 'FUNCTION former_record_launches(');
  expect(former).not.toContain('webhooks');
  await client.query(former);
}

/** Microseconds of a call of the function, without commit and network: the median of rounds that alternate with the other function. */
async function compare(
  client: pg.Client,
  world: World,
  size: number,
): Promise<{ now: number; former: number }> {
  const names = ['record_launches', 'former_record_launches'] as const;
  const measured: Record<string, number[]> = { record_launches: [], former_record_launches: [] };
  const calls = 100;
  for (let round = 0; round < 60; round++)
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const ids = Array.from({ length: calls * size }, () => newId('ses'));
      await client.query('BEGIN');
      const { rows } = await client.query<{ us: number }>(
        `SELECT time_calls('${name}', $1, $2, $3, $4) AS us`,
        [ids, size, world.projectId, world.experienceId],
      );
      await client.query('ROLLBACK');
      measured[name]!.push(rows[0]!.us / calls / size);
    }
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  return { now: median(measured.record_launches!), former: median(measured.former_record_launches!) };
}

const timeCalls = (name: string) => `
  CREATE OR REPLACE FUNCTION time_calls(called text, ids text[], size integer, project text, experience text)
  RETURNS float8 LANGUAGE plpgsql AS $$
  DECLARE
    began timestamptz;
    total float8 := 0;
    fresh launch_to_record[];
    givens json := (SELECT json_agg('{"locale":"en"}'::json) FROM generate_series(1, size));
  BEGIN
    FOR n IN 0 .. cardinality(ids) / size - 1 LOOP
      fresh := ARRAY(SELECT ROW (i, project, experience, 1, true, 'server', NULL, now(), now() + interval '1 minute', NULL, 'en')::launch_to_record
                       FROM unnest(ids[n * size + 1 : (n + 1) * size]) i);
      began := clock_timestamp();
      IF called = 'record_launches' THEN
        PERFORM * FROM record_launches(fresh, givens, NULL, NULL, false);
      ELSE
        PERFORM * FROM ${name}(fresh, givens, NULL, NULL, false);
      END IF;
      total := total + extract(epoch FROM clock_timestamp() - began) * 1e6;
    END LOOP;
    RETURN total;
  END $$`;

test('a mint costs at most 2 % more CPU time without webhooks of its project, and 15 % with one', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const service = await fleet.start({ WEBHOOK_ALLOW_PRIVATE: 'on' });
  const [world, other] = [await createWorld(service), await createWorld(service)];
  await onDatabase(fleet.databaseUrl, async (client) => {
    await createFormer(client);
    await client.query(timeCalls('former_record_launches'));
    const measure = async (what: string, most: number) => {
      for (const size of [1, 16]) {
        const { now, former } = await compare(client, world, size);
        const ratio = 1 + ((now - former) / former) * databaseShare;
        process.stderr.write(
          `mints, ${size} in a batch, ${what}: ${former.toFixed(1)} → ${now.toFixed(1)} µs in the database, ×${ratio.toFixed(3)} of a mint\n`,
        );
        expect(ratio).toBeLessThanOrEqual(most);
      }
    };
    await measure('no webhook', 1.02);
    await createWebhook(service, other.projectId, {
      url: 'http://127.0.0.1:9/',
      events: ['session.created'],
    });
    await measure('a webhook of another project', 1.02);
    await createWebhook(service, world.projectId, {
      url: 'http://127.0.0.1:9/',
      events: ['session.created'],
    });
    await measure('a webhook of the project', 1.15);
  });
});

test('a backlog of a million events does not slow mints', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const service = await fleet.start({ WEBHOOK_ALLOW_PRIVATE: 'on' });
  const world = await createWorld(service);
  const webhook = await createWebhook(service, world.projectId, {
    url: 'http://127.0.0.1:9/',
    events: ['session.created'],
  });
  const p99 = async () => {
    const times: number[] = [];
    for (let n = 0; n < 3_000; n++) {
      const began = performance.now();
      const { status } = await mintFromServer(service, world.key, { experienceId: world.experienceId });
      times.push(performance.now() - began);
      expect(status).toBe(201);
    }
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
  };
  await p99();
  const before = await p99();
  await onDatabase(fleet.databaseUrl, async (client) => {
    await client.query(insertBacklog, [
      webhook.webhookId,
      world.projectId,
      1_000_000,
      firstIdAt('evt', Date.now()),
    ]);
    await client.query('ANALYZE');
    await client.query('CHECKPOINT');
  });
  const after = await p99();
  process.stderr.write(`p99 of a mint: ${before.toFixed(2)} ms → ${after.toFixed(2)} ms with a backlog\n`);
  expect(after).toBeLessThanOrEqual(before * 1.25);
});
