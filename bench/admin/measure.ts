import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { openEmbedded } from '../../server/src/store/embedded.ts';
import type { Contestant } from '../contestant.ts';
import type { Environment } from '../environment.ts';
import type { Pace } from '../rounds.ts';
import { percentile } from '../statistics.ts';
import { type Beside, besideMints } from '../steady-half.ts';
import { provision, serverMint } from '../world.ts';
import { fillAdmin } from './fill.ts';
import { read, startOperators } from './operators.ts';
import { adminReads } from './reads.ts';

/** The embedded engine stores this part of the sessions. */
export const embeddedPart = 20;
/** Reads of each path; the first two do not count. */
const readsOfEach = 22;
const operators = 10;

/** How long one path took, in milliseconds. */
export interface ReadFigure {
  path: string;
  p50: number;
  p95: number;
}

export interface EngineFigures {
  engine: 'PostgreSQL' | 'embedded';
  sessions: number;
  reads: ReadFigure[];
  /** Mints beside ten operators. */
  mints: Beside;
}

/** Measures every read of the admin API with many sessions stored, and mints beside operators who read. */
export async function measureAdmin(
  environment: Environment,
  pace: Pace,
  sessions: number,
): Promise<EngineFigures[]> {
  return [
    await onPostgres(environment, pace, sessions),
    await onEmbedded(environment, pace, Math.max(4, Math.floor(sessions / embeddedPart))),
  ];
}

async function onPostgres(environment: Environment, pace: Pace, sessions: number): Promise<EngineFigures> {
  const url = await environment.database('admin');
  const env = { RUNTIME: 'off' };
  const first = await environment.onPostgres(url, { env });
  const { apiKey } = await provision(first);
  await first.stop();
  const report = (text: string) => environment.progress(`PostgreSQL: ${text}`);
  const sessionId = await onDatabase(url, async (client) => {
    await fillAdmin(client, sessions, report);
    return someSession(client);
  });
  const service = await environment.onPostgres(url, { env });
  return {
    engine: 'PostgreSQL',
    sessions,
    ...(await measured(environment, pace, service, { apiKey, sessionId })),
  };
}

async function onEmbedded(environment: Environment, pace: Pace, sessions: number): Promise<EngineFigures> {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'session-launch-bench-admin-'));
  const env = { RUNTIME: 'off', DATA_DIR };
  try {
    const first = await environment.embedded({ env });
    const { apiKey } = await provision(first);
    await first.stop();
    const report = (text: string) => environment.progress(`embedded: ${text}`);
    const database = await openEmbedded(DATA_DIR);
    // Without the time limit of a statement.
    const client = {
      query: <Row>(text: string, values: unknown[] = []) =>
        database.client.query<Row>(text, values, { mayTakeLong: true }),
    };
    let sessionId: string;
    try {
      await fillAdmin(client, sessions, report);
      sessionId = await someSession(client);
    } finally {
      await database.close();
    }
    const service = await environment.embedded({ env });
    const figures = await measured(environment, pace, service, { apiKey, sessionId });
    await service.stop();
    return { engine: 'embedded', sessions, ...figures };
  } finally {
    await rm(DATA_DIR, { recursive: true, force: true });
  }
}

/** A session in the middle of the stored ones. */
async function someSession(client: {
  query<Row extends object>(text: string): Promise<{ rows: Row[] }>;
}): Promise<string> {
  const middle = `SELECT id FROM sessions ORDER BY id OFFSET (SELECT count(*) / 2 FROM sessions) LIMIT 1`;
  return (await client.query<{ id: string }>(middle)).rows[0]!.id;
}

async function measured(
  environment: Environment,
  pace: Pace,
  service: Contestant,
  { apiKey, sessionId }: { apiKey: string; sessionId: string },
): Promise<Pick<EngineFigures, 'reads' | 'mints'>> {
  const { progress, signal } = environment;
  const paths = adminReads({
    projectId: 'prj_bench',
    experienceId: 'exp_bench_1',
    sessionId,
    userId: 'user-7919',
  });
  const reads: ReadFigure[] = [];
  for (const [n, path] of paths.entries()) {
    progress(`reading ${n + 1}/${paths.length}: ${path}`);
    const times: number[] = [];
    for (let i = 0; i < readsOfEach; i++) {
      signal.throwIfAborted();
      times.push(await read(service, path));
    }
    const counted = times.slice(2);
    reads.push({ path, p50: percentile(counted, 0.5), p95: percentile(counted, 0.95) });
  }
  const mints = await besideMints(environment, serverMint(service.url, apiKey), pace, {
    name: `${operators} operators`,
    start: async () => startOperators(service, paths, operators),
  });
  return { reads, mints };
}
