import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Orm } from '../store/database.ts';
import { apiKeys } from '../store/schema.ts';

export type ApiKey = typeof apiKeys.$inferSelect;

export async function findKeyByHash(orm: Orm, hash: Buffer): Promise<ApiKey | null> {
  const [found] = await orm.select().from(apiKeys).where(eq(apiKeys.hash, hash));
  return found ?? null;
}

export async function insertKey(orm: Orm, key: ApiKey): Promise<void> {
  await orm.insert(apiKeys).values(key);
}

export async function listKeys(orm: Orm, projectId: string): Promise<ApiKey[]> {
  return orm.select().from(apiKeys).where(eq(apiKeys.projectId, projectId)).orderBy(asc(apiKeys.id));
}

/** Keeps the time of the first revocation. */
export async function revokeKey(orm: Orm, keyId: string, at: Date): Promise<ApiKey | undefined> {
  await orm
    .update(apiKeys)
    .set({ revokedAt: at })
    .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)));
  const [found] = await orm.select().from(apiKeys).where(eq(apiKeys.id, keyId));
  return found;
}

/** Many keys in one statement; a time never goes back. */
export async function touchKeys(orm: Orm, used: ReadonlyMap<string, Date>): Promise<void> {
  const ids = [...used.keys()];
  const times = [...used.values()].map((time) => time.toISOString());
  const asked = JSON.stringify(ids.map((id, i) => ({ id, at: times[i] })));
  // Locked in one order, so that processes that write the same keys wait for each other and never in a circle.
  await orm.execute(sql`
    WITH used AS (
      SELECT k.id, u.at::timestamptz AS at
        FROM json_to_recordset(${asked}::json) AS u(id text, at text)
        JOIN api_keys k ON k.id = u.id
       ORDER BY k.id FOR NO KEY UPDATE OF k)
    UPDATE api_keys SET last_used_at = greatest(api_keys.last_used_at, used.at) FROM used WHERE api_keys.id = used.id`);
}
