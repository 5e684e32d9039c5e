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

/** Reads the final state of a database. `projectId` limits the sessions to one project, if others minted without keys or a daily quota. */
export async function stored(ask: Ask, projectId?: string): Promise<Stored> {
  const [totals] = await ask<{ claims: number; used: number }>(counts);
  const own = projectId === undefined ? '' : ` WHERE project_id = '${projectId}'`;
  return { sessions: await ask<Stored['sessions'][number]>(sessions + own), ...totals! };
}

/** Reads the state of a PostgreSQL database. */
export function storedAt(url: string): Promise<Stored> {
  return stored(askAt(url));
}

/** Reads the state of the data folder of a stopped service. */
export async function storedIn(dataDir: string): Promise<Stored> {
  const database = await openEmbedded(dataDir);
  try {
    return await stored(askEmbedded(database));
  } finally {
    await database.close();
  }
}
