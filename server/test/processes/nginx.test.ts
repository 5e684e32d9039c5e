import { readFile } from 'node:fs/promises';
import { postgresFleet } from '@session-launch/testing/fleet.ts';
import { type Call, send } from '@session-launch/testing/http.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { type Nginx, startNginx } from '@session-launch/testing/nginx.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createWorld, pageOrigin, runtime, type World } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const example = new URL('../../../examples/proxy/nginx.conf', import.meta.url);
const undo: (() => Promise<void>)[] = [];
let services: [ServiceProcess, ServiceProcess];
let nginx: Nginx;
let url: string;
let world: World;

beforeAll(async () => {
  const [port, first, second] = [await freePort(), await freePort(), await freePort()];
  url = `http://127.0.0.1:${port}`;
  const fleet = await postgresFleet((work) => undo.unshift(work));
  const start = (own: number) =>
    fleet.start({
      PORT: String(own),
      PUBLIC_URL: url,
      TRUST_PROXY: '127.0.0.1',
      RUNTIME: 'on',
      SPEECH: 'captions',
      SHUTDOWN_GRACE_SECONDS: '0',
    });
  nginx = await startNginx((work) => undo.unshift(work), await configured(port, [first, second]));
  // The first process creates the signing keys.
  services = [await start(first), await start(second)];
  const mind = { greeting: { en: 'Good morning.' }, topics: [] };
  world = await createWorld(services[0], {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
});
afterAll(async () => {
  for (const work of undo) await work();
});

/** The example configuration with the ports of this test, without TLS. */
async function configured(port: number, [first, second]: [number, number]): Promise<string> {
  const replaced: [RegExp, string][] = [
    [/listen 443 ssl;/g, `listen 127.0.0.1:${port};`],
    [/^\s*ssl_certificate.*\n/gm, ''],
    [/10\.0\.0\.11:8080/g, `127.0.0.1:${first}`],
    [/10\.0\.0\.12:8080/g, `127.0.0.1:${second}`],
  ];
  return replaced.reduce(
    (text, [written, here]) => {
      expect(text).toMatch(written);
      return text.replace(written, here);
    },
    await readFile(example, 'utf8'),
  );
}

/** Sends a request to nginx from a given local address. */
const call = (from: string, request: Call) => send(url, { ...request, localAddress: from });

const mint = (from: string, headers: Record<string, string> = {}, experienceId = world.experienceId) =>
  call(from, {
    method: 'POST',
    path: '/v1/browser-sessions',
    headers: { Origin: pageOrigin, ...headers },
    body: { experienceId },
  });

interface Client {
  from: string;
  address: string;
  talker: Talker;
}

const clients = (count: number, first = 2) =>
  Promise.all(Array.from({ length: count }, (_, n) => client(`127.0.0.${first + n}`)));

/** Mints through nginx and connects to the URL in the manifest, from one address. */
async function client(from: string): Promise<Client> {
  const minted = await mint(from);
  expect(minted.status, minted.text).toBe(201);
  const { transport, sessionToken } = minted.json.launch;
  const talker = new Talker(transport.url, sessionToken, { Origin: pageOrigin }, { localAddress: from });
  await talker.ready();
  return { from, address: transport.url, talker };
}

/** Drops the connection and resumes with its ticket. Returns whether the session continues. */
async function comeBack({ from, address, talker }: Client): Promise<boolean> {
  const { resumeTicket: ticket } = await talker.ready();
  const lastSeq = Math.max(...talker.events.map(({ seq = 0 }) => seq));
  talker.ws.terminate();
  await talker.closed;
  const again = new Talker(
    address,
    '',
    { Origin: pageOrigin },
    { localAddress: from, from: { ticket, lastSeq } },
  );
  const { resumed } = await again.ready().catch(() => ({ resumed: false }));
  if (!resumed) return false;
  await again.ask('Good morning');
  await again.leave();
  return true;
}

test('twenty clients talk through nginx, are disconnected and resume in the process that has their session', async () => {
  const all = await clients(20);
  const running = await Promise.all(
    services.map(async (service) => (await readMetrics(service)).total('session_runtime_sessions')),
  );
  // Both processes have some of the sessions.
  expect(Math.min(...running)).toBeGreaterThan(0);
  expect(running.reduce((sum, count) => sum + count, 0)).toBe(20);
  const resumed = await Promise.all(all.map(comeBack));
  expect(resumed.filter(Boolean)).toHaveLength(20);
});

test('the manifest contains the runtime address of nginx', async () => {
  const { address, talker } = await client('127.0.0.40');
  expect(address).toBe(`${url.replace('http', 'ws')}/runtime`);
  await talker.leave();
});

test('a body over 64 KiB is refused by the service, in its own format', async () => {
  const body = { experienceId: world.experienceId, metadata: 'x'.repeat(70_000) };
  const answer = await call('127.0.0.2', {
    method: 'POST',
    path: '/v1/browser-sessions',
    headers: { Origin: pageOrigin },
    body,
  });
  expect([answer.status, answer.json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

test('the service counts by the client’s address, which the client cannot forge', async () => {
  const limited = await createWorld(services[0], {
    project: { limits: { mintsPerMinutePerClient: 1, mintsPerMinute: null, sessionsPerDay: null } },
  });
  const status = async (from: string, headers = {}) =>
    (await mint(from, headers, limited.experienceId)).status;
  expect([await status('127.0.0.50'), await status('127.0.0.50')]).toEqual([201, 429]);
  expect(await status('127.0.0.50', { 'X-Forwarded-For': '203.0.113.7' })).toBe(429);
  expect(await status('127.0.0.51')).toBe(201);
});

test('a reload of nginx keeps the connections of conversations', async () => {
  const { talker } = await client('127.0.0.60');
  await nginx.reload();
  expect(await talker.ask('Good morning')).not.toBe('');
  await talker.leave();
});

test('when one process stops, its clients mint and connect at the other one', async () => {
  const all = await clients(20, 70);
  const [stopped, staying] = services;
  const sessions = async () => (await readMetrics(staying)).total('session_runtime_sessions');
  const kept = await sessions();
  const closed: Client[] = [];
  const codes = new Set<number>();
  for (const one of all)
    void one.talker.closed.then((code) => {
      closed.push(one);
      codes.add(code);
    });
  await stopped.kill('SIGTERM');
  // Clients of the other process stay connected.
  await expect.poll(() => closed.length).toBe(20 - kept);
  expect([...codes]).toEqual([1001]);
  const anew = await Promise.all(closed.map(({ from }) => client(from)));
  expect(anew.map(({ talker }) => talker.events[0].resumed)).toEqual(closed.map(() => false));
  await expect.poll(sessions).toBe(20);
  for (const { talker } of [...all, ...anew]) talker.ws.terminate();
});
