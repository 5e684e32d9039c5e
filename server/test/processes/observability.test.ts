import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { untilAvailable } from '@session-launch/testing/fleet.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { sendRaw } from '@session-launch/testing/raw-http.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { createWorld, mintFromBrowser, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { expectServed } from '../harness/log-load.ts';

const cleanup = useCleanup();
let databaseUrl: string;
let process: ServiceProcess;
let service: Target;
let world: World;
let body: { experienceId: string };

beforeAll(async () => {
  const { url, drop } = await clonedDatabase();
  cleanup(drop);
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  databaseUrl = url;
  process = await startProcess({
    DATABASE_URL: url,
    DATA_DIR: folder.path,
    LOG_LEVEL: 'info',
    SHUTDOWN_GRACE_SECONDS: '0',
  });
  cleanup(() => process.kill('SIGKILL'));
  // The helpers that create projects use HTTP only, so they also work with a child process.
  service = process;
  world = await createWorld(service);
  body = { experienceId: world.experienceId };
});

const bearer = () => ({ Authorization: `Bearer ${world.key}` });
const total = async (name: string, labels?: Record<string, string>) =>
  (await readMetrics(process)).total(name, labels);

/** Runs `work` while the table `sessions` is locked. */
async function whileLocked(work: () => Promise<void>): Promise<void> {
  await onDatabase(databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
    await work();
    await client.query('COMMIT');
  });
}

test('the metrics of an idle service show no waiting connections', async () => {
  for (let n = 0; n < 10; n++)
    expect(await total('session_launch_database_connections', { state: 'waiting' })).toBe(0);
});

test('a blocked write shows in the metrics: queue length, requests in flight, connections in use', async () => {
  const session = await mintFromServer(service, world.key, body);
  const end = `/v1/sessions/${session.json.session.sessionId}/end`;
  const batches = await total('session_launch_batch_size_count');
  const [busy, idle] = ['busy', 'idle'].map((state) => ({ lane: 'everyday', state }));
  const connections = (labels?: Record<string, string>) =>
    total('session_launch_database_connections', labels);
  await expect.poll(() => connections(busy)).toBe(0);
  expect(await connections({ lane: 'recording', state: 'busy' })).toBe(0);
  await expect.poll(() => connections(idle)).toBeGreaterThanOrEqual(1);
  const waiting: Promise<Answer>[] = [];
  await whileLocked(async () => {
    waiting.push(mintFromServer(service, world.key, body));
    await expect.poll(() => total('session_launch_batch_size_count')).toBe(batches + 1);
    for (let n = 0; n < 9; n++) waiting.push(mintFromServer(service, world.key, body));
    await expect.poll(() => total('session_launch_queue_length')).toBe(9);
    // Its statement times out after 3 s, so a busy machine can cause 503.
    waiting.push(untilAvailable(() => process.call({ method: 'POST', path: end, headers: bearer() })));
    await expect
      .poll(async () => {
        const metrics = await readMetrics(process);
        return {
          everyday: metrics.total('session_launch_database_connections', busy),
          recording: metrics.total('session_launch_database_connections', {
            lane: 'recording',
            state: 'busy',
          }),
          inFlight: metrics.total('session_launch_requests_in_flight'),
        };
      })
      .toEqual({ everyday: 1, recording: 1, inFlight: 11 });
  });
  const answers = await Promise.all(waiting);
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 201), 200]);
  expect(await total('session_launch_queue_length')).toBe(0);
  // The queued mints were written in one batch.
  expect(await total('session_launch_batch_size_count')).toBe(batches + 2);
  await expect.poll(() => total('session_launch_requests_in_flight')).toBe(0);
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into log lines freely
const linesOf = (requestId: string | undefined): any[] =>
  process
    .stderr()
    .split('\n')
    .filter((line) => requestId !== undefined && line.includes(requestId))
    .map((line) => JSON.parse(line));

/** The last log line of a request is written after its response. */
const lastLineOf = (requestId: string | undefined) => expect.poll(() => linesOf(requestId).at(-1));

test('a request id finds exactly the log lines of its request', async () => {
  const unknown = 'sl_test_0000000000000000000000000000000000';
  const answers: [Answer, string, string][] = [
    [await mintFromServer(service, world.key, body), 'POST', '/v1/sessions'],
    [await mintFromServer(service, unknown, body), 'POST', '/v1/sessions'],
    [await mintFromBrowser(service, {}), 'POST', '/v1/browser-sessions'],
    [await process.call({ path: '/v1/sessions/ses_x', headers: bearer() }), 'GET', '/v1/sessions/:sessionId'],
    [await process.call({ method: 'DELETE', path: '/v1/sessions' }), 'DELETE', '/v1/sessions'],
    [await process.call({ path: '/nowhere' }), 'GET', '/nowhere'],
    [await process.call({ path: '/v1/%zz' }), 'GET', '(not decodable)'],
    [await process.admin({ path: '/admin/nowhere' }), 'GET', '/admin/nowhere'],
  ];
  expect(answers.map(([{ status }]) => status)).toEqual([201, 401, 400, 404, 405, 404, 404, 404]);
  for (const [{ status, headers, text, json }, method, route] of answers) {
    const id = headers['x-request-id'] as string;
    if (status >= 400) expect(json.error.requestId, text).toBe(id);
    await lastLineOf(id).toMatchObject({ reqId: id, msg: 'answered', method, route, status });
    expect(linesOf(id)).toHaveLength(1);
  }
});

test('the log lines of a request have the trace id of its traceparent header', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  for (const [version, found] of [
    ['00', traceId],
    ['ff', undefined],
  ]) {
    const headers = { ...bearer(), traceparent: `${version}-${traceId}-00f067aa0ba902b7-01` };
    const answer = await process.call({ path: '/v1/sessions/ses_x', headers });
    const id = answer.headers['x-request-id'] as string;
    await lastLineOf(id).toMatchObject({ msg: 'answered', status: 404 });
    expect(linesOf(id).map((line) => line.traceId)).toEqual([found]);
  }
});

test('a malformed request is logged under the id of its response', async () => {
  const answer = await sendRaw(process.url, 'these are no words of HTTP\r\n\r\n');
  const id = answer.headers['x-request-id'];
  expect(JSON.parse(answer.body).error.requestId).toBe(id);
  await lastLineOf(id).toMatchObject({ reqId: id, level: 'info', status: 400 });
  expect(process.stderr()).not.toContain('no words');
});

test('an id sent by the caller is neither returned nor logged', async () => {
  const sent = 'req_chosen_by_the_caller';
  const headers = { 'X-Request-Id': sent, 'Request-Id': sent, 'X-Correlation-Id': sent, traceparent: sent };
  const answer = await mintFromServer(service, world.key, body, headers);
  const id = answer.headers['x-request-id'] as string;
  expect(id).toMatch(/^req_[a-z0-9]{26}$/);
  await lastLineOf(id).toMatchObject({ status: 201 });
  expect(process.stderr()).not.toContain(sent);
});

test('the cause of an internal error is only in the log, under the id of its response', async () => {
  await onDatabase(databaseUrl, (client) => client.query('ALTER TABLE sessions RENAME TO moved'));
  onTestFinished(async () => {
    await onDatabase(databaseUrl, (client) => client.query('ALTER TABLE moved RENAME TO sessions'));
  });
  const path = `/v1/sessions/ses_01kb2x7m9defgt4zq8s6w3n5vh`;
  const answer = await process.call({ path, headers: bearer() });
  expect(answer.status).toBe(500);
  const { code, requestId } = answer.json.error;
  expect(code).toBe('INTERNAL');
  await lastLineOf(requestId).toMatchObject({ msg: 'answered', status: 500 });
  expect(linesOf(requestId)[0]).toMatchObject({
    level: 'error',
    code: 'INTERNAL',
    err: { stack: expect.stringContaining('"sessions" does not exist') },
  });
  expect(answer.text).not.toContain('exist');
  const internal = { route: '/v1/sessions/:sessionId', status: '500' };
  await expect.poll(() => total('session_launch_requests_total', internal)).toBe(1);
});

test('a closed log pipe blocks neither mints nor the process', async () => {
  process.log?.destroy();
  await expectServed(process);
  expect(await process.kill('SIGTERM')).toMatchObject({ code: 0 });
});
