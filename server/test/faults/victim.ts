import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { createWorld, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect } from 'vitest';

/** A service in a child process, with a project that can be launched at every endpoint. */
export interface TestedService {
  service: ServiceProcess;
  world: World;
  /** PostgreSQL only. Connects directly, without the delaying proxy. */
  databaseUrl: string;
  /** Returns the value of a metric without labels. */
  metric(name: string): Promise<number>;
  /** Returns the ids of all sessions of the project. */
  sessions(): Promise<string[]>;
}

interface ServiceOptions {
  env?: Record<string, string>;
  engine?: 'postgres' | 'embedded';
  descriptors?: number;
  /** Delay of PostgreSQL's traffic in milliseconds. */
  lateMs?: number;
}

/** Shares one service among the tests of a file; the returned object is filled before the first test. */
export function useTestedService({
  env = {},
  engine = 'postgres',
  descriptors,
  lateMs,
}: ServiceOptions = {}): TestedService {
  const tested = {} as TestedService;
  const cleanup = useCleanup();
  beforeAll(async () => {
    const folder = await temporaryFolder();
    cleanup(folder.remove);
    const DATA_DIR = join(folder.path, 'data');
    const own: Record<string, string> = { DATA_DIR, ...env };
    if (engine === 'embedded') await prepareDataFolder(DATA_DIR);
    else {
      const { url, drop } = await clonedDatabase();
      cleanup(drop);
      tested.databaseUrl = url;
      const proxy =
        lateMs === undefined
          ? undefined
          : await startTcpProxy(cleanup, Number(new URL(url).port), { lateMs });
      own.DATABASE_URL = proxy?.through(url) ?? url;
    }
    const service = await startProcess(own, folder.path, descriptors);
    cleanup(() => service.kill('SIGKILL'));
    const world = await createWorld(service, {
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
    Object.assign(tested, {
      service,
      world,
      metric: (name: string) => metric(service, name),
      sessions: () => sessions(service, world.projectId),
    });
  });
  return tested;
}

async function metric(service: ServiceProcess, name: string): Promise<number> {
  const { status, text } = await service.admin({ path: '/metrics' });
  expect(status).toBe(200);
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  expect(value, name).toBeDefined();
  return Number(value);
}

async function sessions(service: ServiceProcess, projectId: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await service.admin({
      path: `/admin/projects/${projectId}/sessions?limit=500${cursor ? `&cursor=${cursor}` : ''}`,
    });
    expect(page.status, page.text).toBe(200);
    found.push(...page.json.sessions.map((session: { sessionId: string }) => session.sessionId));
    cursor = page.json.nextCursor;
  } while (cursor);
  return found;
}

/** The metric that shows the number of open connections; not every system counts descriptors. */
export const openNow = process.platform === 'linux' ? 'process_open_fds' : 'session_launch_open_connections';

/** The bytes of an HTTP request. */
export function wire(line: string, headers: string[] = [], body = ''): string {
  return `${[line, 'Host: service', ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** The bytes of a mint at the server endpoint, with additional `headers`. */
export function wiredMint({ key, experienceId }: World, headers: string[] = [], more: object = {}): string {
  const body = JSON.stringify({ experienceId, ...more });
  return wire(
    'POST /v1/sessions HTTP/1.1',
    [
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ],
    body,
  );
}
