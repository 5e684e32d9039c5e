import { Batcher } from '../store/cache/batcher.ts';
import type { Database, Statement } from '../store/database.ts';
import type { Session } from './session.ts';
import { type FoundRow, fromFound } from './session-row.ts';

interface Wanted {
  projectId: string;
  sessionId: string;
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

export const findById: Statement = {
  name: 'find_session_by_id',
  text: `
    SELECT to_json(s) AS session, (SELECT a.seconds FROM active_sessions a WHERE a.session_id = s.id) AS seconds
      FROM sessions s
     WHERE s.id = $1 AND EXISTS (SELECT 1 FROM projects p WHERE p.id = s.project_id AND p.deleted_at IS NULL)`,
};

/** A session of any project, for operators. */
export async function findSession(database: Database, sessionId: string): Promise<Session | undefined> {
  const [row] = await database.query<FoundRow>('admin', findById, [sessionId]);
  return row && fromFound(row);
}
