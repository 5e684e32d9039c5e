import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exposition, readMetrics } from '@session-launch/testing/metrics.ts';
import {
  createWorld,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  type World,
} from '@session-launch/testing/world.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useService } from '../harness/service.ts';

const service = useService();
let world: World;
let body: { experienceId: string };
let before: Exposition;

beforeAll(async () => {
  const limits = { mintsPerMinutePerClient: 3, mintsPerMinute: null, sessionsPerDay: null };
  world = await createWorld(service, {
    project: { limits },
    experience: { public: true, allowedOrigins: [pageOrigin] },
  });
  body = { experienceId: world.experienceId };
});
beforeEach(async () => {
  before = await readMetrics(service);
});

type Change = (name: string, labels?: Record<string, string>) => number;

/** The increase of each metric since the test began. */
async function changes(): Promise<Change> {
  const now = await readMetrics(service);
  return (name, labels) => now.total(name, labels) - before.total(name, labels);
}

const mints = 'session_launch_mints_total';
const durations = 'session_launch_mint_duration_seconds';
const batches = 'session_launch_batch_size';
const requests = 'session_launch_requests_total';
const lookups = 'session_launch_cache_lookups_total';

test('mints are counted by endpoint and outcome, with their durations', async () => {
  const key = { 'Idempotency-Key': 'counted' };
  const started = performance.now();
  await mintFromServer(service, world.key, body);
  await mintFromServer(service, world.key, body, key);
  await mintFromServer(service, world.key, body, key);
  await mintFromServer(service, world.key, { ...body, mode: 'presenter' }, key);
  await mintFromServer(service, 'sl_test_nobody', body);
  for (let n = 0; n < 2; n++) await mintFromBrowser(service, body);
  await mintFromBrowser(service, body, { Origin: 'https://elsewhere.example.com' });
  for (let n = 0; n < 3; n++) await mintFromPublic(service, body);
  const seconds = (performance.now() - started) / 1000;

  const outcomes: [string, Record<string, number>][] = [
    ['server', { launched: 2, replayed: 1, IDEMPOTENCY_CONFLICT: 1, API_KEY_INVALID: 1 }],
    ['browser', { launched: 2, ORIGIN_NOT_ALLOWED: 1 }],
    // The client has one of its three mints left.
    ['public', { launched: 1, RATE_LIMITED: 2 }],
  ];
  const added = await changes();
  for (const [endpoint, counts] of outcomes) {
    for (const [outcome, count] of Object.entries(counts)) {
      expect(added(mints, { door: endpoint, outcome }), `${endpoint} ${outcome}`).toBe(count);
    }
    const all = Object.values(counts).reduce((sum, count) => sum + count);
    expect(added(mints, { door: endpoint }), endpoint).toBe(all);
    expect(added(`${durations}_count`, { door: endpoint }), endpoint).toBe(all);
    expect(added(`${durations}_sum`, { door: endpoint }), endpoint).toBeGreaterThan(0);
  }
  expect(added(`${durations}_sum`)).toBeLessThan(seconds);
});

const histograms: [string, Record<string, string>][] = [
  [durations, { door: 'server' }],
  [batches, {}],
];
test.each(histograms)('each bucket of %s counts the values up to its bound', async (name, labels) => {
  await Promise.all(Array.from({ length: 9 }, () => mintFromServer(service, world.key, body)));
  const now = await readMetrics(service);
  const buckets = now.samples.filter(
    (sample) => sample.name === `${name}_bucket` && sample.labels.door === labels.door,
  );
  const bounds = buckets.map(({ labels: { le } }) => Number(le?.replace('+Inf', 'Infinity')));
  expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
  expect(bounds.at(-1)).toBe(Number.POSITIVE_INFINITY);
  expect(buckets.at(-1)?.value).toBe(now.total(`${name}_count`, labels));
  let [least, most] = [0, 0];
  for (const [i, { value }] of buckets.entries()) {
    const held = value - (buckets[i - 1]?.value ?? 0);
    expect(held).toBeGreaterThanOrEqual(0);
    least += held * (bounds[i - 1] ?? 0);
    if (held > 0) most += held * bounds[i]!;
  }
  expect(now.total(`${name}_sum`, labels)).toBeGreaterThan(least);
  expect(now.total(`${name}_sum`, labels)).toBeLessThanOrEqual(most);
});

test('every recorded mint belongs to one batch', async () => {
  const burst = Array.from({ length: 40 }, () => mintFromServer(service, world.key, body));
  for (const answer of await Promise.all(burst)) expect(answer.status).toBe(201);
  const added = await changes();
  expect(added(`${batches}_sum`)).toBe(40);
  const writes = added(`${batches}_count`);
  expect(writes).toBeGreaterThanOrEqual(1);
  expect(writes).toBeLessThanOrEqual(40);
  expect((await readMetrics(service)).total('session_launch_queue_length')).toBe(0);
});

test('requests are counted by route and status: sessions read and ended, the catalog, unknown paths', async () => {
  const minted = await mintFromServer(service, world.key, body);
  const session = `/v1/sessions/${minted.json.session.sessionId}`;
  const catalog = `/v1/projects/${world.projectId}/experiences`;
  const headers = { Authorization: `Bearer ${world.key}` };
  for (let n = 0; n < 3; n++) await service.call({ path: session, headers });
  await service.call({ path: '/v1/sessions/ses_nobody', headers });
  await service.call({ path: session });
  await service.call({ method: 'POST', path: `${session}/end`, headers });
  const { headers: answered } = await service.call({ path: catalog, headers });
  await service.call({ path: catalog, headers: { ...headers, 'If-None-Match': answered.etag as string } });
  await service.call({ path: `${catalog}/${world.file.experiences[0]?.slug}`, headers });
  await service.call({ path: '/nowhere' });
  await service.call({ path: '/v1/%zz' });
  const expected: [string, number, number][] = [
    ['/v1/sessions', 201, 1],
    ['/v1/sessions/:sessionId', 200, 3],
    ['/v1/sessions/:sessionId', 404, 1],
    ['/v1/sessions/:sessionId', 401, 1],
    ['/v1/sessions/:sessionId/end', 200, 1],
    ['/v1/projects/:projectId/experiences', 200, 1],
    ['/v1/projects/:projectId/experiences', 304, 1],
    ['/v1/projects/:projectId/experiences/:slug', 200, 1],
    ['unknown', 404, 2],
  ];
  const counted = expected.map(([route, status, count]) => `${route} ${status} ${count}`).sort();
  const shown = async () => {
    const added = await changes();
    return (await readMetrics(service)).samples
      .filter((sample) => sample.name === requests && added(requests, sample.labels) > 0)
      .map(({ labels }) => `${labels.route} ${labels.status} ${added(requests, labels)}`)
      .sort();
  };
  // A response is counted after it was sent. Requests for the metrics are not counted, since they use the admin listener.
  await expect.poll(shown).toEqual(counted);
});

test('a malformed request is counted as unreadable', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.end('these are no words of HTTP\r\n\r\n');
  const unreadable = { route: 'unreadable', status: '400' };
  await expect.poll(async () => (await changes())(requests, unreadable)).toBe(1);
});

test('look-ups count as misses first, and as hits once cached', async () => {
  const fresh = await createWorld(service, { experience: { public: true, allowedOrigins: [pageOrigin] } });
  before = await readMetrics(service);
  const headers = { Authorization: `Bearer ${fresh.key}` };
  for (let n = 0; n < 5; n++) {
    await mintFromServer(service, fresh.key, { experienceId: fresh.experienceId });
    await mintFromPublic(service, { experienceId: fresh.experienceId });
    await mintFromBrowser(service, { experienceId: fresh.experienceId }, { 'Idempotency-Key': 'one' });
    await service.call({ path: `/v1/projects/${fresh.projectId}/experiences`, headers });
  }
  const added = await changes();
  for (const [cache, asked] of [
    ['keys', 10],
    ['experiences', 15],
    // Only replays read a revision that may not be the latest.
    ['revisions', 4],
    ['catalogs', 5],
    ['origins', 5],
  ] as const) {
    const hits = added(lookups, { cache, result: 'hit' });
    const misses = added(lookups, { cache, result: 'miss' });
    expect(hits + misses, cache).toBe(asked);
    expect(misses, cache).toBeGreaterThanOrEqual(1);
    expect(hits, cache).toBeGreaterThanOrEqual(1);
  }
});

describe('connections', () => {
  const sockets: ReturnType<typeof connect>[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  const now = async (name: string) => (await readMetrics(service)).total(name);

  function opened(text: string): ReturnType<typeof connect> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    if (text !== '') socket.write(text);
    return socket;
  }

  test('open ones are counted, including idle ones', async () => {
    const open = before.total('session_launch_open_connections');
    for (let n = 0; n < 7; n++) opened('');
    await expect.poll(() => now('session_launch_open_connections')).toBe(open + 7);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => now('session_launch_open_connections')).toBe(open);
  });

  test('a request is in flight until its response is sent', async () => {
    const head = [
      'POST /v1/sessions HTTP/1.1',
      'Host: service',
      `Authorization: Bearer ${world.key}`,
      'Content-Type: application/json',
    ];
    const text = JSON.stringify(body);
    const halfSent = `${[...head, `Content-Length: ${text.length}`].join('\r\n')}\r\n\r\n${text.slice(0, 5)}`;
    const flights = Array.from({ length: 3 }, () => opened(halfSent));
    await expect.poll(() => now('session_launch_requests_in_flight')).toBe(3);
    for (const socket of flights) socket.write(text.slice(5));
    await expect.poll(() => now('session_launch_requests_in_flight')).toBe(0);
    expect((await changes())(mints, { door: 'server', outcome: 'launched' })).toBe(3);
  });
});

test('the process exports its memory and CPU time', async () => {
  // A garbage collection between two measurements may free most of the memory: the reported value lies between a measurement before and
  // one after.
  const looks = [process.memoryUsage()];
  const { total } = await readMetrics(service);
  looks.push(process.memoryUsage());
  const expectAbout = (shown: number, seen: number[]) => {
    expect(shown).toBeGreaterThan(Math.min(...seen) / 2);
    expect(shown).toBeLessThan(Math.max(...seen) * 2);
  };
  expectAbout(
    total('process_resident_memory_bytes'),
    looks.map(({ rss }) => rss),
  );
  expectAbout(
    total('nodejs_heap_size_used_bytes'),
    looks.map(({ heapUsed }) => heapUsed),
  );
  expect((await changes())('process_cpu_seconds_total')).toBeGreaterThan(0);
});

test('a blocked event loop shows in the delay metric', async () => {
  // The delay is measured between two ticks, so one is needed before and one after.
  await sleep(30);
  const until = performance.now() + 300;
  while (performance.now() < until);
  await sleep(30);
  const { total } = await readMetrics(service);
  expect(total('nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0.25);
  expect(total('nodejs_eventloop_lag_p50_seconds')).toBeLessThan(total('nodejs_eventloop_lag_max_seconds'));
});
