import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { postgresFleet, until, untilReady } from '@session-launch/testing/fleet.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { program, runProgram, shortLived, temporaryFolder } from '@session-launch/testing/process.ts';
import { startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { FailingStarts } from '../harness/failing-starts.ts';

const cleanup = useCleanup();

let folder: string;
beforeAll(async () => {
  const { path, remove } = await temporaryFolder();
  folder = path;
  cleanup(remove);
});

const settings = (DATABASE_URL: string, wait: string) => ({
  DATABASE_URL,
  DATABASE_WAIT_SECONDS: wait,
  DATA_DIR: folder,
  PORT: '0',
  ADMIN_PORT: '0',
  RUNTIME: 'off',
  LOG_LEVEL: 'info',
});

/** A URL at which no server listens. */
const nowhere = async () => `postgres://postgres@127.0.0.1:${await freePort()}/postgres`;

/** Starts the program as a child process whose output can be read while it waits. */
function begin(env: Record<string, string>) {
  const child = spawn(process.execPath, [...shortLived, program, 'serve'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return {
    child,
    closed: once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
    waits: () => until('a line about the wait', async () => waitingLines(stderr).length > 0),
    serves: () => until('the service', async () => stdout.includes('is running')),
    stderr: () => stderr,
  };
}

/** Log lines about waiting for the database. */
function waitingLines(stderr: string): { reason: string }[] {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'waiting for the database');
}

/** Lines that are printed for the user. */
const spoken = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith('session-launch:'));

/** Listens on `port` and forwards connections to the server at `url`. */
async function forward(port: number, url: string): Promise<void> {
  const { hostname, port: target } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.pipe(upstream).pipe(client);
  });
  cleanup(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

describe('a start while PostgreSQL is not reachable', () => {
  test('waits, logs it, and serves once PostgreSQL accepts connections', async () => {
    const { url, drop } = await clonedDatabase();
    cleanup(drop);
    const port = await freePort();
    const service = begin(settings(url.replace(new URL(url).host, `127.0.0.1:${port}`), '3600'));
    await service.waits();
    await forward(port, url);
    await service.serves();
    service.child.kill('SIGKILL');
    await service.closed;
    expect(waitingLines(service.stderr())[0]?.reason).toContain('ECONNREFUSED');
    expect(spoken(service.stderr())).toEqual([]);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('exits with 0 on %s while it waits', async (signal) => {
    const service = begin(settings(await nowhere(), '3600'));
    await service.waits();
    service.child.kill(signal);
    expect(await service.closed).toEqual([0, null]);
    expect(spoken(service.stderr())).toEqual([]);
  });

  test('fails after DATABASE_WAIT_SECONDS', async () => {
    const { code, stderr } = await runProgram(['serve'], settings(await nowhere(), '4'));
    expect(waitingLines(stderr)).toHaveLength(1);
    expect(spoken(stderr)).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(code).toBe(1);
  });

  test('waits for an unknown host name', async () => {
    const url = 'postgres://postgres@database.invalid/postgres';
    const service = begin(settings(url, '3600'));
    await service.waits();
    expect(waitingLines(service.stderr())[0]?.reason).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  test('fails at the first attempt with DATABASE_WAIT_SECONDS=0', async () => {
    const { code, stderr } = await runProgram(['serve'], settings(await nowhere(), '0'));
    expect(waitingLines(stderr)).toEqual([]);
    expect(spoken(stderr)).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(code).toBe(1);
  });
});

describe.concurrent('a start does not wait', () => {
  let starts: FailingStarts;
  beforeAll(() => {
    starts = new FailingStarts();
    cleanup(() => starts.close());
  });

  test.each([
    ['for a role that does not exist', (url: string) => url.replace('postgres@', 'nobody_knows@')],
    ['for a database that does not exist', (url: string) => url.replace(/postgres$/, 'nobody_knows')],
    ['for TLS that the server does not offer', (url: string) => `${url}?sslmode=verify-full`],
    ['for a certificate file that does not exist', (url: string) => `${url}?sslrootcert=/nobody/knows.pem`],
  ])('%s', async (_, changed) => {
    const url = changed(inject('postgresUrl'));
    // Returns although it might wait for an hour.
    const { code, lines } = await starts.start(settings(url, '3600'));
    expect(lines).toEqual([expect.stringMatching(/^session-launch: .*DATABASE_URL/)]);
    expect(code).toBe(1);
  });
});

describe.concurrent('a start survives a database that is slow to accept connections', () => {
  /** Statements that a start sends, identified by a part of their text. The first connection that sends one gets no response. */
  test.for([
    ['at the first query', 'server_version_num'],
    ['at the migration lock', 'pg_advisory_xact_lock'],
    ['when it looks up the demo', 'experiences'],
  ] as const)('%s', async ([_, words], { onTestFinished }) => {
    const { url, drop } = await clonedDatabase();
    onTestFinished(drop);
    let muted = 0;
    const proxy = await startTcpProxy(onTestFinished, Number(new URL(url).port), {
      toServer: (link, bytes) => {
        if (muted > 0 || !bytes.includes(words)) return true;
        muted++;
        link.mute();
        return false;
      },
    });
    const fleet = await postgresFleet(onTestFinished, url);
    const service = await fleet.start({ DATABASE_URL: proxy.through(url), DEMO: 'on' });
    expect(muted).toBe(1);
    await untilReady(service);
  });
});
