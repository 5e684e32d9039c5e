import { once } from 'node:events';
import { until } from '@session-launch/testing/fleet.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { answersIn, openConnection } from '@session-launch/testing/raw-http.ts';
import { createKey, expectError, pageOrigin } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { generateApiKey } from '../../src/keys/api-key.ts';
import { useTestedService, wire } from './victim.ts';

// Trusts this machine as a proxy, so that each test chooses the networks of its clients.
const tested = useTestedService({ env: { TRUST_PROXY: '127.0.0.1' } });

let n = 0;
const from = (network: string) => `X-Forwarded-For: ${network}`;
const body = () => JSON.stringify({ experienceId: tested.world.experienceId });
const post = (path: string, headers: string[], text: string) =>
  wire(
    `POST ${path} HTTP/1.1`,
    [...headers, 'Content-Type: application/json', `Content-Length: ${text.length}`],
    text,
  );

/** Requests for unknown names, each used once. */
const floods: Record<string, { asks: (network: string) => string; answer: number }> = {
  'unknown keys': {
    asks: (network) =>
      post('/v1/sessions', [from(network), `Authorization: Bearer ${generateApiKey('sl', 'live')}`], body()),
    answer: 401,
  },
  'malformed keys': {
    asks: (network) => post('/v1/sessions', [from(network), `Authorization: Bearer nonsense${n++}`], body()),
    answer: 401,
  },
  'unknown experiences': {
    asks: (network) =>
      post(
        '/v1/browser-sessions',
        [from(network), `Origin: ${pageOrigin}`],
        `{"experienceId":"exp_x${n++}"}`,
      ),
    answer: 404,
  },
  'leave requests from unlisted origins': {
    asks: (network) =>
      wire('OPTIONS /v1/public-sessions HTTP/1.1', [from(network), `Origin: https://p${n++}.example.net`]),
    answer: 204,
  },
};

/** Opens connections that each send the next request after the last response, until they are stopped. */
function flood(make: () => string, connections: number) {
  const statuses = new Map<number, number>();
  let began = Number.POSITIVE_INFINITY;
  const all = Array.from({ length: connections }, () => {
    const { socket, received, closed } = openConnection(tested.service.url);
    let seen = 0;
    socket.on('connect', () => {
      began = Math.min(began, performance.now());
      socket.write(make());
    });
    socket.on('data', () => {
      const answers = answersIn(received());
      for (const { status } of answers.slice(seen)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        socket.write(make());
      }
      seen = answers.length;
    });
    return { socket, closed };
  });
  const count = () => [...statuses.values()].reduce((sum, each) => sum + each, 0);
  return {
    statuses,
    count,
    /** Maximum number of rejections that one network can have received: a burst of 200, then one every ten milliseconds. */
    most: () => 200 + (performance.now() - began) / 10 + 1,
    stop: async () => {
      for (const { socket } of all) socket.destroy();
      await Promise.all(all.map(({ closed }) => closed));
    },
  };
}

const mint = (network: string, key = tested.world.key) =>
  tested.service.call({
    method: 'POST',
    path: '/v1/sessions',
    headers: { 'X-Forwarded-For': network, Authorization: `Bearer ${key}` },
    body: { experienceId: tested.world.experienceId },
  });

test.each(Object.entries(floods))(
  'a flood of %s is answered at a limited rate, all other requests at once',
  async (_, flooding) => {
    const network = `203.0.113.${n++ % 250}`;
    const crowd = flood(() => flooding.asks(network), 64);
    await until('more than leave at once', async () => crowd.count() >= 260);
    expect(crowd.count()).toBeLessThanOrEqual(crowd.most());
    // A valid key is accepted from every network, including the flooding one, even if it is not cached.
    for (const one of ['198.51.100.1', network]) expect((await mint(one)).status).toBe(201);
    const { key } = await createKey(tested.service, tested.world.projectId);
    const fresh = await until('a new key to be taken', async () => {
      const answer = await mint(network, key);
      if (answer.status !== 201) expectError(answer, 503, 'UNAVAILABLE');
      return answer.status === 201 && answer;
    });
    expect(fresh.json.session.projectId).toBe(tested.world.projectId);
    // An unknown key from another network gets the normal response.
    expectError(await mint('198.51.100.2', generateApiKey('sl', 'live')), 401, 'API_KEY_INVALID');
    expect(crowd.count()).toBeLessThanOrEqual(crowd.most());
    await crowd.stop();
    // Rejected look-ups return 503 at the endpoints; a preflight is never rejected.
    expect(
      [...crowd.statuses.keys()].filter((status) => status !== flooding.answer && status !== 503),
    ).toEqual([]);
    expect(crowd.statuses.get(flooding.answer)).toBeGreaterThan(200);
    await expect
      .poll(async () => (await readMetrics(tested.service)).total('session_launch_requests_in_flight'))
      .toBe(0);
  },
);

test('one network may have 64 look-ups of unknown keys in flight; further ones are refused with Retry-After', async () => {
  const refused = async () =>
    (await readMetrics(tested.service)).total('session_launch_cache_lookups_total', {
      cache: 'keys',
      result: 'refused',
    });
  const before = await refused();
  const network = '203.0.113.251';
  const connections = Array.from({ length: 100 }, () => openConnection(tested.service.url));
  await Promise.all(connections.map(({ socket }) => once(socket, 'connect')));
  await onDatabase(tested.databaseUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    for (const { socket } of connections) socket.write(floods['unknown keys']!.asks(network));
    await until('those beyond 64 to be refused', async () => (await refused()) - before === 36);
    await client.query('COMMIT');
  });
  const answered = () => connections.map(({ received }) => answersIn(received())[0]);
  await until('every answer', async () => answered().every((answer) => answer !== undefined));
  const later = answered().filter((answer) => answer?.status === 503);
  expect(later.length).toBeGreaterThanOrEqual(36);
  for (const answer of later) {
    expect(answer?.headers['retry-after']).toBe('1');
    expect(JSON.parse(answer!.body).error.code).toBe('UNAVAILABLE');
  }
  expect((await refused()) - before).toBe(36);
  expectError(await mint(network, generateApiKey('sl', 'live')), 401, 'API_KEY_INVALID');
  for (const { socket } of connections) socket.destroy();
});
