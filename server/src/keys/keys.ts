import type { KeyMode } from '@session-launch/contract/admin/keys';
import type { Database, Statement, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';

/** A stored key without its hash. */
export interface ApiKey {
  id: string;
  projectId: string;
  mode: KeyMode;
  hint: string;
  name: string | null;
  scopes: string[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** The fields of a key that authentication needs. */
export type UsableKey = Pick<ApiKey, 'id' | 'projectId' | 'mode' | 'scopes' | 'expiresAt' | 'revokedAt'>;

export const find: Statement = { name: 'find_keys', text: 'SELECT hash, key FROM find_keys($1)' };

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

export const insert: Statement = {
  name: 'insert_key',
  text: `INSERT INTO api_keys (id, project_id, mode, hash, hint, name, scopes, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

export async function insertKey(tx: Transaction, key: ApiKey, hash: Buffer): Promise<void> {
  const { id, projectId, mode, hint, name, scopes, createdAt, expiresAt } = key;
  await tx.query(insert, [id, projectId, mode, hash, hint, name, scopes, createdAt, expiresAt]);
}

const columns = `id, project_id AS "projectId", mode, hint, name, scopes, created_at AS "createdAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

export const listKeys = onPool('admin').many<[projectId: string], ApiKey>({
  name: 'list_keys',
  text: `SELECT ${columns} FROM api_keys WHERE project_id = $1 ORDER BY id`,
});

/** Revokes a key. A repeated revocation keeps the first time. */
export const revokeKey = inTransaction.one<[keyId: string, at: Date], ApiKey>({
  name: 'revoke_key',
  text: `UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 RETURNING ${columns}`,
});

/** Reads a key and locks it until the transaction ends. */
export const lockKey = inTransaction.one<[keyId: string], ApiKey>({
  name: 'lock_key',
  text: `SELECT ${columns} FROM api_keys WHERE id = $1 FOR NO KEY UPDATE`,
});

export const renameKey = inTransaction.run<[keyId: string, name: string]>({
  name: 'rename_key',
  text: 'UPDATE api_keys SET name = $2 WHERE id = $1',
});

export const expireKey = inTransaction.run<[keyId: string, at: Date]>({
  name: 'expire_key',
  text: 'UPDATE api_keys SET expires_at = $2 WHERE id = $1',
});

/**
 * Updates many keys in one statement; a time of last use never decreases. Rows are locked in one order, so that processes that write the
 * same keys cannot deadlock.
 */
export const touchKeys = onPool('everyday').run<[used: ReadonlyMap<string, Date>]>(
  {
    name: 'touch_keys',
    text: `
      WITH used AS (
        SELECT k.id, u.at FROM json_to_recordset($1) AS u(id text, at timestamptz) JOIN api_keys k ON k.id = u.id
         ORDER BY k.id FOR NO KEY UPDATE OF k)
      UPDATE api_keys SET last_used_at = greatest(api_keys.last_used_at, used.at) FROM used WHERE api_keys.id = used.id`,
  },
  (used) => [JSON.stringify([...used].map(([id, at]) => ({ id, at })))],
);
