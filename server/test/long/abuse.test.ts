import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cleanup, postgresFleet, processFolder, until } from '@session-launch/testing/fleet.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { startPostgres } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { type Link, startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import {
  createWorld,
  experience,
  pageOrigin,
  project,
  uniqueId,
  type World,
} from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { History } from '../faults/history.ts';
import { Load } from '../faults/load.ts';
import { storedAt, storedIn } from '../faults/stored.ts';
import { type Random, seededRandom } from '../harness/random.ts';

/** Duration of the abuse in minutes; use ABUSE_MINUTES=10 before a release. */
const minutes = Number(process.env.ABUSE_MINUTES ?? '1');
const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 10_000_000 };

/** Metrics that count work in flight. */
const counters = [
  'session_launch_requests_under_way',
  'session_launch_requests_in_flight',
  'session_launch_queue_length',
];

interface Abused {
  service: ServiceProcess;
  world: World;
  random: Random;
  isOver(): boolean;
}

/** A random request as bytes: every public route, authorised and unauthorised. */
function someRequest({ random, world }: Abused): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const body = JSON.stringify({
    experienceId: pick([world.experienceId, `exp_${randomBytes(6).toString('hex')}`]),
  });
  const key = pick([world.key, 'sl_test_nonsense', strangersKey()]);
  const origin = pick([
    pageOrigin,
    'https://stranger.example.org',
    'null',
    `https://${randomBytes(3).toString('hex')}.example.net`,
  ]);
  const post = (path: string, headers: string) =>
    `POST ${path} HTTP/1.1\r\nHost: service\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: service\r\n${headers}\r\n`;
  const authorization = `Authorization: Bearer ${key}\r\n`;
  return pick([
    () => post('/v1/sessions', authorization),
    () => post('/v1/browser-sessions', `Origin: ${origin}\r\n`),
    () => post('/v1/public-sessions', `Origin: ${origin}\r\n`),
    () =>
      `OPTIONS ${pick(['/v1/public-sessions', '/v1/browser-sessions'])} HTTP/1.1\r\nHost: service\r\nOrigin: ${origin}\r\n\r\n`,
    () => get(`/v1/sessions/ses_${randomBytes(8).toString('hex')}`, authorization),
    () => get(`/v1/projects/${world.projectId}/experiences`, authorization),
    () => get('/avatars/maren/full.svg'),
    () => get('/.well-known/jwks.json'),
    () => get('/'),
    () => get('/readyz'),
  ])();
}

/** A syntactically valid key with a random checksum. */
function strangersKey(): string {
  return `sl_live_${randomBytes(40)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, 'x')
    .slice(0, 36)}`;
}

/** Opens connections and aborts them at every stage, with and without pipelining, from a separate address. */
async function abort(abused: Abused): Promise<void> {
  const { hostname, port } = new URL(abused.service.url);
  while (!abused.isOver()) {
    const requests = Array.from({ length: 1 + Math.floor(abused.random() * 10) }, () => someRequest(abused));
    await new Promise<void>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.on('connect', () => {
        const text = requests.join('');
        socket.write(abused.random() < 0.3 ? text.slice(0, -5) : text);
        const after = abused.random() < 0.3 ? 0 : abused.random() * 6;
        setTimeout(() => (abused.random() < 0.5 ? socket.destroy() : socket.resetAndDestroy()), after);
      });
    });
  }
}

/** Unauthorised clients that wait for each response before the next request, from another address. */
async function flood(abused: Abused): Promise<void> {
  const { hostname, port } = new URL(abused.service.url);
  while (!abused.isOver()) {
    await new Promise<void>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.3' });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.setTimeout(10_000, () => socket.destroy());
      let left = 50;
      const ask = () =>
        left-- > 0 && !abused.isOver() ? socket.write(someRequest(abused)) : socket.destroy();
      socket.on('connect', ask);
      socket.on('data', ask);
    });
  }
}

/** Applies large project files, one after the other. */
async function applyLarge(abused: Abused): Promise<void> {
  while (!abused.isOver()) {
    const file = {
      project: project({ id: uniqueId('prj') }),
      experiences: Array.from({ length: 1_500 }, () => experience()),
    };
    const answer = await abused.service
      .admin({ method: 'POST', path: '/admin/projects', body: file })
      .catch(() => undefined);
    if (answer !== undefined) expect([200, 503], answer.text).toContain(answer.status);
    await sleep(5_000);
  }
}

async function abuse(
  abused: Abused,
  history: History,
  more: () => Promise<void>,
): Promise<{ load: Load; megabytes: number[] }> {
  const { service, world, random } = abused;
  const load = new Load(history, {
    random,
    world,
    target: () => service.url,
    workers: 8,
  });
  const megabytes: number[] = [];
  const watch = async () => {
    while (!abused.isOver()) {
      const metrics = await readMetrics(service).catch(() => undefined);
      if (metrics) megabytes.push(metrics.total('process_resident_memory_bytes') / 2 ** 20);
      await sleep(2_000);
    }
  };
  await Promise.all([
    ...Array.from({ length: 8 }, () => abort(abused)),
    ...Array.from({ length: 8 }, () => flood(abused)),
    applyLarge(abused),
    more(),
    watch(),
  ]);
  await load.stop();
  return { load, megabytes };
}

/** Work in flight by metric; must be zero in the end. The request for the metrics goes to the admin listener, so it is not counted. */
async function inFlight(service: ServiceProcess): Promise<Record<string, number>> {
  const metrics = await readMetrics(service);
  const counts = [
    ...counters.map((name) => [name, metrics.total(name)] as const),
    ['waiting', metrics.total('session_launch_database_connections', { state: 'waiting' })] as const,
  ];
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

async function expectQuiet(service: ServiceProcess): Promise<void> {
  let left: Record<string, number> = {};
  await until(
    'every counter at zero',
    async () => {
      left = await inFlight(service);
      return Object.keys(left).length === 0;
    },
    30_000,
  ).catch(() => expect(left).toEqual({}));
  expect((await service.call({ path: '/readyz' })).status).toBe(200);
}

function expectLevel(megabytes: number[]): void {
  const third = Math.floor(megabytes.length / 3);
  const most = (part: number[]) => Math.max(...part);
  // The first third fills caches; after that, memory must not grow beyond noise.
  expect(most(megabytes.slice(-third))).toBeLessThan(1.25 * most(megabytes.slice(third, 2 * third)));
}

function untilOver(): () => boolean {
  const end = performance.now() + minutes * 60_000;
  return () => performance.now() > end;
}

const timeout = minutes * 60_000 + 240_000;

describe('aborts, floods, large files and network faults do not affect honest callers', () => {
  test('on PostgreSQL', { timeout }, async (context) => {
    const cleanup: Cleanup = context.onTestFinished;
    const server = await startPostgres();
    cleanup(() => server.dispose());
    const silent = new WeakSet<Link>();
    const proxy = await startTcpProxy(cleanup, server.port, {
      toServer: (link) => !silent.has(link),
      toClient: (link) => !silent.has(link),
    });
    const fleet = await postgresFleet(cleanup, proxy.through(server.url('postgres')));
    const service = await fleet.start();
    const random = seededRandom(context);
    const world = await createWorld(service, {
      project: { limits },
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
    const history = new History();
    const abused: Abused = { service, world, random, isOver: untilOver() };
    const { load, megabytes } = await abuse(abused, history, async () => {
      while (!abused.isOver()) {
        await sleep(3_000 + random() * 7_000);
        await history.breaking(async () => {
          for (const link of proxy.links()) {
            if (random() < 0.3) link.cut();
            else if (random() < 0.1) silent.add(link);
          }
          await sleep(15_000);
        });
      }
    });
    await expectQuiet(service);
    expectLevel(megabytes);
    await service.kill('SIGTERM');
    const stored = await storedAt(server.url('postgres'));
    const known = new Set(history.operations.map(({ tag }) => tag));
    const honest = stored.sessions.filter(({ tag }) => tag !== null && known.has(tag));
    expect(history.problems({ ...stored, sessions: honest }).filter(isAboutHonest)).toEqual([]);
    report('PostgreSQL', load, history, megabytes);
  });

  test('on the embedded engine', { timeout }, async (context) => {
    const { path, start } = await processFolder(context.onTestFinished);
    const dataDir = join(path, 'data');
    const service = await start({ DATA_DIR: dataDir });
    const random = seededRandom(context);
    const world = await createWorld(service, {
      project: { limits },
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
    const history = new History();
    const abused: Abused = { service, world, random, isOver: untilOver() };
    const { load, megabytes } = await abuse(abused, history, async () => undefined);
    await expectQuiet(service);
    expectLevel(megabytes);
    await service.kill('SIGTERM');
    const stored = await storedIn(dataDir);
    const known = new Set(history.operations.map(({ tag }) => tag));
    const honest = stored.sessions.filter(({ tag }) => tag !== null && known.has(tag));
    expect(history.problems({ ...stored, sessions: honest }).filter(isAboutHonest)).toEqual([]);
    report('embedded', load, history, megabytes);
  });
});

/** Attackers who used a listed origin also minted, so totals say nothing about regular callers. */
function isAboutHonest(problem: string): boolean {
  return !/^the quota counts|keys have a session/.test(problem);
}

function report(engine: string, load: Load, history: History, megabytes: number[]): void {
  const waits = history.attempts.map(({ sentAt, answeredAt }) => answeredAt - sentAt).sort((a, b) => a - b);
  console.log(
    `${engine}: ${load.acknowledged} launches of honest callers, ${JSON.stringify(history.tally())}, slowest ${Math.round(waits.at(-1) ?? 0)} ms, ` +
      `memory ${Math.round(megabytes[0] ?? 0)} → ${Math.round(megabytes.at(-1) ?? 0)} MB`,
  );
}
