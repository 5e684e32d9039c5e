import { rows } from '@session-launch/testing/fleet.ts';
import type { QueryResultRow } from 'pg';
import type { Database } from '../../src/store/database.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import type { Stored } from './history.ts';

const sessions = `SELECT id, source, given->'player'->'startButton'->>'tag' AS tag FROM sessions`;
const counts = `SELECT (SELECT count(*)::integer FROM idempotency_keys) AS claims,
                       (SELECT coalesce(sum(used), 0)::integer FROM daily_sessions) AS used`;

export type Ask = <Row extends QueryResultRow>(text: string) => Promise<Row[]>;

export const askAt =
  (url: string): Ask =>
  (text) =>
    rows(url, text);

export const askEmbedded =
  (database: Database): Ask =>
  (text) =>
    database.query('everyday', { name: text, text }, []);

/** What a database holds; of sessions only those of a project, where others made some, too, without keys or a limit for the day. */
export async function stored(ask: Ask, projectId?: string): Promise<Stored> {
  const [totals] = await ask<{ claims: number; used: number }>(counts);
  const own = projectId === undefined ? '' : ` WHERE project_id = '${projectId}'`;
  return { sessions: await ask<Stored['sessions'][number]>(sessions + own), ...totals! };
}

/** What a PostgreSQL holds. */
export function storedAt(url: string): Promise<Stored> {
  return stored(askAt(url));
}

/** What the data folder of a service that has ended holds. */
export async function storedIn(dataDir: string): Promise<Stored> {
  const database = await openEmbedded(dataDir);
  try {
    return await stored(askEmbedded(database));
  } finally {
    await database.close();
  }
}
