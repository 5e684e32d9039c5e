import type { Status } from '@session-launch/contract/session';
import { firstIdAt } from '../primitives/ids.ts';
import { Batcher } from '../store/cache/batcher.ts';
import type { Database, Statement } from '../store/database.ts';
import type { Session } from './session.ts';
import { fromRow, type SessionRow } from './session-row.ts';

export interface SessionFilter {
  experienceId?: string;
  status?: Status;
  source?: Session['source'];
  userId?: string;
}

interface Wanted {
  projectId: string;
  sessionId: string;
}

/** A row of `sessions`, and its seconds while it is active. */
interface FoundRow {
  session: SessionRow;
  seconds: number | null;
}

function fromFound({ session, seconds }: FoundRow): Session {
  return fromRow(seconds === null ? session : { ...session, seconds });
}

export const find: Statement = {
  name: 'find_sessions',
  text: 'SELECT n, session, seconds FROM find_sessions($1)',
};

/** Reads sessions by id; reads that arrive while a query is in flight share the next one. */
export class SessionReader {
  readonly #wanted: Batcher<Wanted, Session | undefined>;

  constructor(database: Database) {
    this.#wanted = new Batcher(256, async (wanted) => {
      const asked = JSON.stringify(wanted.map((w, n) => ({ n, ...w })));
      const found = new Array<Session | undefined>(wanted.length);
      for (const row of await database.query<FoundRow & { n: number }>('everyday', find, [asked]))
        found[row.n] = fromFound(row);
      return found;
    });
  }

  find(projectId: string, sessionId: string): Promise<Session | undefined> {
    return this.#wanted.submit({ projectId, sessionId });
  }
}

/** Longer than the maximum token lifetime plus clock skew. */
const longestTokenMs = 2 * 3_600_000 + 60_000;

/**
 * A filter that is null does not apply. The statement has no name, so PostgreSQL plans it for the values of each call: it drops those
 * filters and uses the index for the others. The conditions of each status agree with `sessionRecord`.
 */
export const list: Statement = {
  text: `
    SELECT to_json(s) AS session, (SELECT a.seconds FROM active_sessions a WHERE a.session_id = s.id) AS seconds
      FROM sessions s
     WHERE s.project_id = $1 AND ($3::text IS NULL OR s.id < $3)
       AND ($4::text IS NULL OR s.experience_id = $4) AND ($5::text IS NULL OR s.source = $5)
       AND ($6::text IS NULL OR s.user_id = $6)
       AND CASE $7::text
             WHEN 'created' THEN s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at > $8 AND s.id > $9
             WHEN 'expired' THEN s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at <= $8
             WHEN 'active' THEN s.started_at IS NOT NULL AND s.ended_at IS NULL
             WHEN 'ended' THEN s.ended_at IS NOT NULL
             ELSE true END
     ORDER BY s.id DESC LIMIT $2`,
};

/** Newest first. Ids are time-ordered, so the id of the last row is the cursor of the next page. */
export async function listSessions(
  database: Database,
  projectId: string,
  filter: SessionFilter,
  { limit, before, at }: { limit: number; before: string | undefined; at: Date },
): Promise<Session[]> {
  // Only recent sessions can wait for a client, so older rows are skipped.
  const firstCreated = firstIdAt('ses', at.getTime() - longestTokenMs);
  const { experienceId, source, userId, status } = filter;
  const asked = [before, experienceId, source, userId, status].map((value) => value ?? null);
  const values = [projectId, limit, ...asked, at, firstCreated];
  return (await database.query<FoundRow>('admin', list, values)).map(fromFound);
}
