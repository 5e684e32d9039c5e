import type { Database, Statement, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';

/** A preview link. Only `sessions` changes. */
export interface Preview {
  id: string;
  projectId: string;
  experienceId: string;
  revision: number;
  locale: string | null;
  secondaryLocale: string | null;
  maxSessions: number;
  sessions: number;
  createdAt: Date;
  createdBy: string;
  expiresAt: Date;
}

const columns = `v.id, e.project_id AS "projectId", v.experience_id AS "experienceId", v.revision, v.locale,
  v.secondary_locale AS "secondaryLocale", v.max_sessions AS "maxSessions", v.sessions,
  v.created_at AS "createdAt", v.created_by AS "createdBy", v.expires_at AS "expiresAt"`;
const rows = 'previews v JOIN experiences e ON e.id = v.experience_id';

export const insert: Statement = {
  name: 'insert_preview',
  text: `INSERT INTO previews (id, hash, experience_id, revision, locale, secondary_locale, max_sessions, created_at, created_by, expires_at)
         SELECT $1, $2::bytea, e.id, $4::integer, $5, $6, $7::integer, $8::timestamptz, $9, $10::timestamptz
           FROM experiences e WHERE e.id = $3 FOR KEY SHARE
         RETURNING id`,
};

/** Returns false if the experience has been deleted in the meantime. */
export async function insertPreview(tx: Transaction, preview: Preview, hash: Buffer): Promise<boolean> {
  const { id, experienceId, revision, locale, secondaryLocale, maxSessions } = preview;
  const { createdAt, createdBy, expiresAt } = preview;
  const values = [id, hash, experienceId, revision, locale, secondaryLocale];
  const rows = await tx.query(insert, [...values, maxSessions, createdAt, createdBy, expiresAt]);
  return rows.length > 0;
}

/** The links of an experience that have not expired, newest first. */
export const listPreviews = onPool('admin').many<[experienceId: string], Preview>({
  name: 'list_previews',
  text: `SELECT ${columns} FROM ${rows} WHERE v.experience_id = $1 AND v.expires_at > now() ORDER BY v.id DESC LIMIT 500`,
});

export const deletePreview = inTransaction.one<[previewId: string], Preview>({
  name: 'delete_preview',
  text: `DELETE FROM previews v USING experiences e WHERE e.id = v.experience_id AND v.id = $1 RETURNING ${columns}`,
});

export const find: Statement = {
  name: 'find_previews',
  text: `SELECT encode(v.hash, 'hex') AS digits, ${columns}
           FROM ${rows} JOIN unnest($1::text[]) AS w(digits) ON v.hash = decode(w.digits, 'hex')`,
};

/** Finds previews by the hex digests of their codes. */
export async function findPreviews(database: Database, digits: string[]): Promise<Map<string, Preview>> {
  const found = await database.query<Preview & { digits: string }>('everyday', find, [digits]);
  return new Map(found.map(({ digits, ...preview }) => [digits, preview]));
}

/** What decides whether a preview starts another session. */
export interface PreviewState {
  /** Neither expired nor used up, and its experience can be launched. */
  isUsable: boolean;
  /** Whether the last minute of the rate limit has not ended yet, so that a new session belongs to it. */
  isSameMinute: boolean;
  /** Sessions of that minute. */
  minuteSessions: number;
  /** Seconds until that minute ends. */
  resetSeconds: number;
}

/** Locks a preview until the transaction ends. `undefined` if it has been deleted. */
export const lockPreview = inTransaction.one<[previewId: string], PreviewState>({
  name: 'lock_preview',
  text: `SELECT v.expires_at > now() AND v.sessions < v.max_sessions AND e.status <> 'archived' AND p.deleted_at IS NULL AS "isUsable",
                coalesce(v.minute_began_at > now() - interval '1 minute', false) AS "isSameMinute",
                v.minute_sessions AS "minuteSessions",
                coalesce(ceil(extract(epoch FROM v.minute_began_at + interval '1 minute' - now())), 0)::integer AS "resetSeconds"
           FROM ${rows} JOIN projects p ON p.id = e.project_id
          WHERE v.id = $1 FOR UPDATE OF v`,
});

/** Counts a session of a locked preview. */
export const countSession = inTransaction.run<[previewId: string, state: PreviewState]>(
  {
    name: 'count_preview_session',
    text: `UPDATE previews SET sessions = sessions + 1,
                  minute_began_at = CASE WHEN $2 THEN minute_began_at ELSE now() END,
                  minute_sessions = CASE WHEN $2 THEN minute_sessions + 1 ELSE 1 END
            WHERE id = $1`,
  },
  (previewId, { isSameMinute }) => [previewId, isSameMinute],
);

const batchSize = 1_000;

/** Deletes links that have expired. Called periodically. */
export const deleteExpiredPreviews = onPool('everyday').run<[]>({
  name: 'delete_expired_previews',
  text: `DELETE FROM previews WHERE id IN (
           SELECT id FROM previews WHERE expires_at <= now() ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
});
