import type { Role } from '@session-launch/contract/roles';
import type { Database, Statement, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';

/** A stored operator without the hash of the token. */
export interface Operator {
  operatorId: string;
  name: string;
  role: Role;
  /** Null: all projects. */
  projectIds: readonly string[] | null;
  version: number;
  createdAt: Date;
  hasToken: boolean;
  issuer: string | null;
}

/** The fields of an operator that authentication needs. */
export type KnownOperator = Pick<Operator, 'operatorId' | 'name' | 'role' | 'projectIds'>;

/** The holder of ADMIN_TOKEN: an owner that cannot be removed. */
export const bootstrap: KnownOperator = {
  operatorId: 'bootstrap',
  name: 'bootstrap',
  role: 'owner',
  projectIds: null,
};

export const knownColumns = 'o.id AS "operatorId", o.name, o.role, o.project_ids AS "projectIds"';
const columns = `${knownColumns}, o.version, o.created_at AS "createdAt", o.token_hash IS NOT NULL AS "hasToken", o.issuer`;

export const findByToken: Statement = {
  name: 'find_operators_by_token',
  text: `SELECT encode(o.token_hash, 'hex') AS hash, ${knownColumns} FROM operators o
          WHERE o.token_hash IN (SELECT decode(h, 'hex') FROM unnest($1::text[]) AS h)`,
};

/** The operators of these tokens, by the hex digest of the token. */
export async function operatorsByToken(
  database: Database,
  hashes: string[],
): Promise<Map<string, KnownOperator>> {
  const rows = await database.query<KnownOperator & { hash: string }>('everyday', findByToken, [hashes]);
  return new Map(rows.map(({ hash, ...operator }) => [hash, operator]));
}

/**
 * The operator who has this token now, locked until the transaction ends. Waits for a concurrent change of the operator. Caches may still
 * contain a token that was replaced.
 */
export const lockTokenHolder = inTransaction.one<[tokenHash: Buffer], KnownOperator>({
  name: 'lock_token_holder',
  text: `SELECT ${knownColumns} FROM operators o WHERE o.token_hash = $1 FOR SHARE`,
});

/** Waits for a concurrent change of an operator, and prevents further ones until the transaction ends. */
export const keepOperator = inTransaction.run<[operatorId: string]>({
  name: 'keep_operator',
  text: 'SELECT 1 FROM operators WHERE id = $1 FOR SHARE',
});

export const listOperators = onPool('admin').many<[], Operator>({
  name: 'list_operators',
  text: `SELECT ${columns} FROM operators o ORDER BY o.id`,
});

/** An operator, with who last changed it and when. */
export interface LockedOperator extends Operator {
  updatedAt: Date;
  updatedBy: string;
}

/** Reads an operator and locks the row until the transaction ends. */
export const lockOperator = inTransaction.one<[operatorId: string], LockedOperator>({
  name: 'lock_operator',
  text: `SELECT ${columns}, o.updated_at AS "updatedAt", coalesce(
           (SELECT a.name FROM audit a WHERE a.target = o.id AND a.action LIKE 'operator.%' ORDER BY a.id DESC LIMIT 1),
           o.created_by) AS "updatedBy"
           FROM operators o WHERE o.id = $1 FOR UPDATE`,
});

export const lockFullOwners: Statement = {
  name: 'lock_full_owners',
  text: `SELECT o.id FROM operators o WHERE o.role = 'owner' AND o.project_ids IS NULL ORDER BY o.id FOR UPDATE`,
};

/** The ids of the owners of all projects, whose rows stay locked until the transaction ends. */
export async function fullOwners(tx: Transaction): Promise<string[]> {
  return (await tx.query<{ id: string }>(lockFullOwners)).map(({ id }) => id);
}

export interface NewOperator extends KnownOperator {
  tokenHash: Buffer | null;
  issuer?: string;
  subject?: string;
  createdAt: Date;
  createdBy: string;
}

export const insert: Statement = {
  name: 'insert_operator',
  text: `INSERT INTO operators (id, name, role, project_ids, token_hash, issuer, subject, created_at, created_by, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8)`,
};

export async function insertOperator(tx: Transaction, operator: NewOperator): Promise<void> {
  const { operatorId, name, role, projectIds, tokenHash, createdAt, createdBy } = operator;
  const { issuer = null, subject = null } = operator;
  const values = [operatorId, name, role, projectIds, tokenHash, issuer, subject, createdAt, createdBy];
  await tx.query(insert, values);
}

export const update: Statement = {
  name: 'update_operator',
  text: 'UPDATE operators SET name = $2, role = $3, project_ids = $4, updated_at = $5 WHERE id = $1 RETURNING version',
};

/** Returns the new version. */
export async function updateOperator(tx: Transaction, operator: KnownOperator): Promise<number> {
  const { operatorId, name, role, projectIds } = operator;
  const values = [operatorId, name, role, projectIds, new Date()];
  const [row] = await tx.query<{ version: number }>(update, values);
  return row!.version;
}

export const setToken: Statement = {
  name: 'set_operator_token',
  text: 'UPDATE operators SET token_hash = $2, updated_at = $3 WHERE id = $1 RETURNING version',
};

/** Returns the new version. */
export async function setOperatorToken(tx: Transaction, operatorId: string, hash: Buffer): Promise<number> {
  const [row] = await tx.query<{ version: number }>(setToken, [operatorId, hash, new Date()]);
  return row!.version;
}

/**
 * Deletes an operator. Their logins and sign-in links are deleted with the row. The limit of an operator who signs in through an
 * identity provider is kept for another sign-in.
 */
export const deleteOperator = inTransaction.run<[operatorId: string]>({
  name: 'delete_operator',
  text: `
    WITH gone AS (DELETE FROM operators WHERE id = $1 RETURNING issuer, subject, project_ids)
    INSERT INTO former_limits (issuer, subject, project_ids)
    SELECT issuer, subject, project_ids FROM gone WHERE issuer IS NOT NULL AND project_ids IS NOT NULL
    ON CONFLICT (issuer, subject) DO UPDATE SET project_ids = excluded.project_ids`,
});

/** The operator whom an identity provider knows by this subject. */
export const lockOperatorBySubject = inTransaction.one<[issuer: string, subject: string], Operator>({
  name: 'lock_operator_by_subject',
  text: `SELECT ${columns} FROM operators o WHERE o.issuer = $1 AND o.subject = $2 FOR UPDATE`,
});

export const takeLimit: Statement = {
  name: 'take_former_limit',
  text: `DELETE FROM former_limits WHERE issuer = $1 AND subject = $2 RETURNING project_ids AS "projectIds"`,
};

/** The projects that a removed operator was limited to. The limit then belongs to the operator who is created again. */
export async function takeFormerLimit(
  tx: Transaction,
  issuer: string,
  subject: string,
): Promise<string[] | null> {
  const [limit] = await tx.query<{ projectIds: string[] }>(takeLimit, [issuer, subject]);
  return limit?.projectIds ?? null;
}

export const knownProjects: Statement = {
  name: 'known_projects',
  text: 'SELECT id FROM projects WHERE id = ANY($1::text[]) AND deleted_at IS NULL',
};

/** Those of these ids that belong to existing projects. */
export async function existingProjects(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  return new Set((await tx.query<{ id: string }>(knownProjects, [ids])).map(({ id }) => id));
}
