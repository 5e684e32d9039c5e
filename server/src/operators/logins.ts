import { sha256 } from '../primitives/sha256.ts';
import type { Database, Statement, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';
import { bootstrap, type KnownOperator, knownColumns } from './operators.ts';
import { tokenTag } from './secrets.ts';

/** A login, with the operator whom it belongs to. */
export interface Login {
  loginId: string;
  /** Null: the holder of ADMIN_TOKEN. */
  operator: KnownOperator | null;
  via: 'console' | 'oidc';
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
  address: string;
  agent: string;
  /** For the holder of ADMIN_TOKEN: see `tokenTag`. */
  tokenTag: Uint8Array | null;
}

const columns = `l.id AS "loginId", l.via, l.created_at AS "createdAt", l.last_seen_at AS "lastSeenAt", l.expires_at AS "expiresAt",
  l.address, l.agent, l.token_tag AS "tokenTag", ${knownColumns}`;
const source = 'logins l LEFT JOIN operators o ON o.id = l.operator_id';

type Row = Omit<Login, 'operator'> & { [K in keyof KnownOperator]: KnownOperator[K] | null };

function fromRow({ operatorId, name, role, projectIds, ...login }: Row): Login {
  const operator = operatorId === null ? null : { operatorId, name: name!, role: role!, projectIds };
  return { ...login, operator };
}

export const find: Statement = {
  name: 'find_logins',
  text: `SELECT encode(l.hash, 'hex') AS hash, ${columns} FROM ${source}
          WHERE l.hash IN (SELECT decode(h, 'hex') FROM unnest($1::text[]) AS h)`,
};

/** The logins of these cookies, by the hex digest of the cookie. */
export async function findLogins(database: Database, hashes: string[]): Promise<Map<string, Login>> {
  const rows = await database.query<Row & { hash: string }>('everyday', find, [hashes]);
  return new Map(rows.map(({ hash, ...row }) => [hash, fromRow(row)]));
}

export const list: Statement = {
  name: 'list_logins',
  text: `SELECT ${columns} FROM ${source}
          WHERE l.expires_at > $1 AND l.last_seen_at > $2 AND ($3::text IS NULL OR l.id < $3)
            AND (l.operator_id IS NOT DISTINCT FROM $4::text
                 OR $5::boolean AND ($6::text[] IS NULL OR o.project_ids <> '{}' AND o.project_ids <@ $6))
          ORDER BY l.id DESC LIMIT $7`,
};

/** Whose logins an operator sees. */
export interface LoginFilter {
  /** The operator who asks. Null: the holder of ADMIN_TOKEN. */
  own: string | null;
  /** Whether those of other operators are included. */
  others: boolean;
  /** Only operators who are limited to some of these projects; null: all operators. */
  projectIds: readonly string[] | null;
}

/** The logins that are valid now, newest first. */
export async function listLogins(
  database: Database,
  { own, others, projectIds }: LoginFilter,
  { now, idleSince }: { now: Date; idleSince: Date },
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Login[]> {
  const values = [now, idleSince, cursor ?? null, own, others, projectIds, limit];
  return (await database.query<Row>('admin', list, values)).map(fromRow);
}

export const read: Statement = {
  name: 'read_login',
  text: `SELECT ${columns} FROM ${source} WHERE l.id = $1 FOR UPDATE OF l`,
};

/** Reads a login and locks the row until the transaction ends. */
export async function lockLogin(tx: Transaction, loginId: string): Promise<Login | undefined> {
  const [row] = await tx.query<Row>(read, [loginId]);
  return row && fromRow(row);
}

export interface NewLogin extends Omit<Login, 'operator' | 'lastSeenAt'> {
  hash: Buffer;
  operatorId: string | null;
}

export const insert: Statement = {
  name: 'insert_login',
  text: `INSERT INTO logins (id, hash, operator_id, via, created_at, last_seen_at, expires_at, address, agent, token_tag)
         VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9)`,
};

export async function insertLogin(tx: Transaction, login: NewLogin): Promise<void> {
  const { loginId, hash, operatorId, via, createdAt, expiresAt, address, agent, tokenTag } = login;
  await tx.query(insert, [loginId, hash, operatorId, via, createdAt, expiresAt, address, agent, tokenTag]);
}

/** Returns whether the login existed. */
export const deleteLogin = inTransaction.any<[loginId: string]>({
  name: 'delete_login',
  text: 'DELETE FROM logins WHERE id = $1 RETURNING 1',
});

export const removeOthers: Statement = {
  name: 'delete_logins_of_operator',
  text: 'DELETE FROM logins WHERE operator_id = $1 AND id IS DISTINCT FROM $2',
};

/** Deletes the logins and the unused sign-in links of an operator, except this login. */
export async function deleteLoginsOf(tx: Transaction, operatorId: string, except?: string): Promise<void> {
  await tx.query(removeOthers, [operatorId, except ?? null]);
  await tx.query(removeCodes, [operatorId]);
}

/** Updates many logins in one statement; a time of last use never decreases. */
export const touchLogins = onPool('admin').run<[used: ReadonlyMap<string, Date>]>(
  {
    name: 'touch_logins',
    text: `
      WITH used AS (
        SELECT l.id, u.at FROM json_to_recordset($1) AS u(id text, at timestamptz) JOIN logins l ON l.id = u.id
         ORDER BY l.id FOR NO KEY UPDATE OF l)
      UPDATE logins SET last_seen_at = greatest(logins.last_seen_at, used.at) FROM used WHERE logins.id = used.id`,
  },
  (used) => [JSON.stringify([...used].map(([id, at]) => ({ id, at })))],
);

export const insertCode: Statement = {
  name: 'insert_login_code',
  text: 'INSERT INTO login_codes (hash, operator_id, expires_at, login_expires_at) VALUES ($1, $2, $3, $4)',
};

export const keepOwner: Statement = {
  name: 'keep_owner_of_code',
  text: `SELECT 1 FROM operators o JOIN login_codes c ON c.operator_id = o.id WHERE c.hash = $1 FOR SHARE OF o`,
};

export const useCode: Statement = {
  name: 'use_login_code',
  text: `WITH used AS (
           DELETE FROM login_codes
            WHERE hash = $1 AND operator_id IS NOT NULL OR hash = $2 AND operator_id IS NULL
           RETURNING operator_id, expires_at, login_expires_at)
         SELECT u.expires_at AS "expiresAt", u.login_expires_at AS "loginExpiresAt", ${knownColumns}
           FROM used u LEFT JOIN operators o ON o.id = u.operator_id`,
};

export const removeCodes: Statement = {
  name: 'delete_codes_of_operator',
  text: 'DELETE FROM login_codes WHERE operator_id = $1',
};

/** An operator who signs in, and when the login ends at the latest. */
export interface SigningIn {
  operator: KnownOperator;
  latestEnd?: Date | undefined;
}

interface UsedCode extends Omit<KnownOperator, 'operatorId'> {
  operatorId: string | null;
  expiresAt: Date;
  loginExpiresAt: Date | null;
}

/** Deletes a code and returns whom it signs in; `undefined` if it is unknown, has expired, or belongs to an earlier ADMIN_TOKEN. */
export async function redeemCode(
  tx: Transaction,
  code: string,
  adminToken: string,
  now: Date,
): Promise<SigningIn | undefined> {
  // Locked before the code, as by a change of the operator, which then deletes the codes: the other order would deadlock.
  await tx.query(keepOwner, [sha256(code)]);
  const [used] = await tx.query<UsedCode>(useCode, [sha256(code), tokenTag(code, adminToken)]);
  if (used === undefined || used.expiresAt <= now) return undefined;
  const { expiresAt: _, loginExpiresAt, operatorId, ...operator } = used;
  return {
    operator: operatorId === null ? bootstrap : { ...operator, operatorId },
    latestEnd: loginExpiresAt ?? undefined,
  };
}

/** Deletes what is no longer valid: logins, sign-in links and counts of failed sign-ins. */
export const deleteExpired = onPool('admin').run<[now: Date, idleSince: Date]>(
  {
    name: 'delete_expired_logins',
    text: `WITH codes AS (DELETE FROM login_codes WHERE expires_at <= $1),
                failures AS (DELETE FROM rate_windows WHERE key LIKE 'login:%' AND expire <= $3)
           DELETE FROM logins WHERE expires_at <= $1 OR last_seen_at <= $2`,
  },
  (now, idleSince) => [now, idleSince, now.getTime()],
);
