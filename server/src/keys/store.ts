import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Database, Orm, Statement } from '../store/database.ts';
import { apiKeys } from '../store/schema.ts';

export type ApiKey = typeof apiKeys.$inferSelect;

/** The fields of a key that authentication needs. */
export type UsableKey = Pick<ApiKey, 'id' | 'projectId' | 'mode' | 'scopes' | 'expiresAt' | 'revokedAt'>;

const find: Statement = { name: 'find_keys', text: 'SELECT hash, key FROM find_keys($1)' };

/** The existing keys among these, by hex digest. */
export async function findKeys(database: Database, hashes: string[]): Promise<Map<string, UsableKey>> {
  const rows = await database.query<{ hash: string; key: Record<string, unknown> }>('everyday', find, [
    hashes,
  ]);
  return new Map(rows.map(({ hash, key }) => [hash, fromColumns(key)]));
}

function fromColumns(row: Record<string, unknown>): UsableKey {
  return {
    id: row.id as string,
    projectId: row.project_id as string,
    mode: row.mode as ApiKey['mode'],
    scopes: row.scopes as string[],
    expiresAt: instant(row.expires_at),
    revokedAt: instant(row.revoked_at),
  };
}

function instant(value: unknown): Date | null {
  return value === null ? null : new Date(value as string);
}

export async function insertKey(orm: Orm, key: ApiKey): Promise<void> {
  await orm.insert(apiKeys).values(key);
}

export async function listKeys(orm: Orm, projectId: string): Promise<ApiKey[]> {
  return orm.select().from(apiKeys).where(eq(apiKeys.projectId, projectId)).orderBy(asc(apiKeys.id));
}

/** Revokes a key. A repeated revocation keeps the first time. */
export async function revokeKey(orm: Orm, keyId: string, at: Date): Promise<ApiKey | undefined> {
  await orm
    .update(apiKeys)
    .set({ revokedAt: at })
    .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)));
  const [found] = await orm.select().from(apiKeys).where(eq(apiKeys.id, keyId));
  return found;
}

/** Updates many keys in one statement; a time of last use never decreases. */
export async function touchKeys(orm: Orm, used: ReadonlyMap<string, Date>): Promise<void> {
  const ids = [...used.keys()];
  const times = [...used.values()].map((time) => time.toISOString());
  const asked = JSON.stringify(ids.map((id, i) => ({ id, at: times[i] })));
  // Rows are locked in one order, so that processes that write the same keys cannot deadlock.
  await orm.execute(sql`
    WITH used AS (
      SELECT k.id, u.at::timestamptz AS at
        FROM json_to_recordset(${asked}::json) AS u(id text, at text)
        JOIN api_keys k ON k.id = u.id
       ORDER BY k.id FOR NO KEY UPDATE OF k)
    UPDATE api_keys SET last_used_at = greatest(api_keys.last_used_at, used.at) FROM used WHERE api_keys.id = used.id`);
}
