import { rows } from '@session-launch/testing/fleet.ts';
import type { QueryResultRow } from 'pg';
import { openEmbedded } from '../../src/store/embedded.ts';
import type { Stored } from './history.ts';

const sessions = `SELECT id, source, given->'player'->'startButton'->>'tag' AS tag FROM sessions`;
const counts = `SELECT (SELECT count(*)::integer FROM idempotency_keys) AS claims,
                       (SELECT coalesce(sum(used), 0)::integer FROM daily_sessions) AS used`;

type Read = <Row extends QueryResultRow>(text: string) => Promise<Row[]>;

async function read(query: Read): Promise<Stored> {
  const [totals] = await query<{ claims: number; used: number }>(counts);
  return { sessions: await query<Stored['sessions'][number]>(sessions), ...totals! };
}

/** What a PostgreSQL holds. */
export function storedAt(url: string): Promise<Stored> {
  return read((text) => rows(url, text));
}

/** What the data folder of a service that has ended holds. */
export async function storedIn(dataDir: string): Promise<Stored> {
  const database = await openEmbedded(dataDir);
  try {
    return await read((text) => database.query('everyday', { name: text, text }, []));
  } finally {
    await database.close();
  }
}
