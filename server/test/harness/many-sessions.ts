import { firstIdAt } from '../../src/primitives/ids.ts';
import type { Database } from '../../src/store/database.ts';

/** An ordinary `given`, and one as large as a mint could once store: numbers in a start button. */
const ordinary = {
  mode: 'conversation',
  speechInputMode: 'auto',
  speechOnly: false,
  locale: 'en-US',
  origin: 'https://shop.example.com',
  player: { startButton: { label: 'Talk to us' } },
  token: { issuer: 'https://launch.example.com', issuedAt: 1_790_000_000, keyId: 'sk_0123456789' },
};
const large = { ...ordinary, player: { startButton: { label: Array(32_600).fill(1) } } };

export interface StoredSessions {
  projectId: string;
  /** The experience of most of them. Default: exp_usual. */
  experienceId?: string;
  count: number;
  /** Time of the newest one; each is a second older than the next. */
  newest: number;
  isLarge?: boolean;
  /** Whether the rows have the columns by which lists filter. Default: true. */
  hasColumns?: boolean;
}

const perStatement = 20_000;

/**
 * Inserts sessions of one project, without its experiences: one in a thousand is of exp_rare and of the user `rare`, the older half has
 * ended, the newest ten are active, and the others have expired.
 */
export async function storeSessions(database: Database, stored: StoredSessions): Promise<void> {
  const { projectId, experienceId = 'exp_usual', count, newest, isLarge = false, hasColumns = true } = stored;
  await database.transaction(async (tx) => {
    await tx.query({ text: 'SET LOCAL session_replication_role = replica' });
    // Stored once, so that its copies need not be compressed again.
    await tx.query({ text: 'CREATE TEMPORARY TABLE IF NOT EXISTS template (given json)' });
    await tx.query({ text: 'TRUNCATE template' });
    await tx.query({ text: 'INSERT INTO template VALUES ($1)' }, [
      JSON.stringify(isLarge ? large : ordinary),
    ]);
    for (let first = 0; first < count; first += perStatement) {
      const ids = Array.from({ length: Math.min(perStatement, count - first) }, (_, i) =>
        firstIdAt('ses', newest - (count - first - i) * 1000),
      );
      await tx.query({ text: insert }, [projectId, ids, first, count, hasColumns, experienceId]);
    }
    await tx.query({ text: 'DROP TABLE template' });
  });
}

const insert = `
  INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, user_id, given, created_at, expires_at, started_at,
                        runtime_id, ended_at, end_reason, origin, locale)
  SELECT s.id, $1, CASE WHEN s.n % 1000 = 7 THEN 'exp_rare' ELSE $6 END, 1, true, 'public',
         CASE WHEN s.n % 1000 = 7 THEN 'rare' END, t.given, now() - interval '1 day', now() - interval '23 hours',
         CASE WHEN s.n < $4 / 2 OR s.n >= $4 - 10 THEN now() - interval '1 day' END,
         CASE WHEN s.n < $4 / 2 OR s.n >= $4 - 10 THEN 'rt_1' END,
         CASE WHEN s.n < $4 / 2 THEN now() - interval '1 day' END, CASE WHEN s.n < $4 / 2 THEN 'client_ended' END,
         CASE WHEN $5 THEN 'https://shop.example.com' END, CASE WHEN $5 THEN 'en-US' END
    FROM template t, LATERAL (SELECT u.id, u.place - 1 + $3::integer AS n FROM unnest($2::text[]) WITH ORDINALITY AS u(id, place)) s`;
