import { openSecret, resealSecret, sealSecret } from '../outbound/sealed-secret.ts';
import { createSecret } from '../outbound/signature.ts';
import type { Database, Transaction } from '../store/database.ts';
import { inTransaction, onPool } from '../store/queries.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';

/** The sealed secrets of a project: the current one, and the one before it while it also signs. */
export interface SealedSecrets {
  sealed: string;
  createdAt: Date;
  oldSealed: string | null;
  oldExpiresAt: Date | null;
}

const columns =
  'sealed, created_at AS "createdAt", old_sealed AS "oldSealed", old_expires_at AS "oldExpiresAt"';

export const findSecrets = onPool('everyday').one<[projectId: string], SealedSecrets>({
  name: 'find_tool_secret',
  text: `SELECT ${columns} FROM tool_secrets WHERE project_id = $1`,
});

export const lockSecrets = inTransaction.one<[projectId: string], SealedSecrets>({
  name: 'lock_tool_secret',
  text: `SELECT ${columns} FROM tool_secrets WHERE project_id = $1 FOR UPDATE`,
});

/** Two first secrets at the same time: the later one wins, and the earlier one also signs, as if it had been replaced. */
export const storeSecret = inTransaction.run<
  [projectId: string, sealed: string, at: Date, oldExpiresAt: Date, hasGrace: boolean]
>({
  name: 'store_tool_secret',
  text: `INSERT INTO tool_secrets (project_id, sealed, created_at) SELECT id, $2::text, $3::timestamptz
           FROM projects WHERE id = $1 AND deleted_at IS NULL
         ON CONFLICT (project_id) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at,
           old_sealed = CASE WHEN $5::boolean THEN tool_secrets.sealed END,
           old_expires_at = CASE WHEN $5::boolean THEN $4::timestamptz END`,
});

const ownerOf = (projectId: string) => `tool secret of ${projectId}`;

export interface NewSecret {
  secret: string;
  createdAt: Date;
  /** Until when the secret before it also signs. Absent: there was none, or it stops signing now. */
  oldExpiresAt?: Date;
  /** Whether there was a secret before. */
  isReplaced: boolean;
}

/** Creates or replaces the secret of a project. The plain text is only in the return value. */
export async function replaceSecret(
  tx: Transaction,
  keys: SigningKeys,
  projectId: string,
  graceSeconds: number,
): Promise<NewSecret> {
  const before = await lockSecrets(tx, projectId);
  const createdAt = new Date();
  const oldExpiresAt = new Date(createdAt.getTime() + graceSeconds * 1000);
  const secret = createSecret();
  const sealed = sealSecret(keys, ownerOf(projectId), secret);
  await storeSecret(tx, projectId, sealed, createdAt, oldExpiresAt, graceSeconds > 0);
  const isReplaced = before !== undefined;
  return { secret, createdAt, isReplaced, ...(isReplaced && graceSeconds > 0 ? { oldExpiresAt } : {}) };
}

/** The secrets that sign a call at this time, the current one first. Throws if the current one cannot be opened. */
export function signingSecrets(
  keys: SigningKeys,
  projectId: string,
  stored: SealedSecrets | undefined,
  at: Date,
): string[] {
  if (stored === undefined) return [];
  const current = openSecret(keys, ownerOf(projectId), stored.sealed);
  // Fails instead of sending an unsigned call, which a tool would reject or, worse, accept.
  if (current === undefined)
    throw new Error(`the signing key that seals the tool secret of ${projectId} is missing`);
  const isOldValid = stored.oldSealed !== null && at < stored.oldExpiresAt!;
  const old = isOldValid ? openSecret(keys, ownerOf(projectId), stored.oldSealed!) : undefined;
  return old === undefined ? [current] : [current, old];
}

export const sealedWithOther = onPool('admin').many<
  [kid: string],
  { projectId: string; sealed: string; oldSealed: string | null }
>({
  name: 'tool_secrets_sealed_with_other_keys',
  text: `SELECT project_id AS "projectId", sealed, old_sealed AS "oldSealed" FROM tool_secrets
          WHERE NOT starts_with(reverse(sealed), reverse('.' || $1))
             OR NOT starts_with(reverse(old_sealed), reverse('.' || $1))`,
});

export const sealAgain = onPool('admin').run<
  [projectId: string, sealed: string, oldSealed: string | null, before: string]
>({
  name: 'reseal_tool_secret',
  text: 'UPDATE tool_secrets SET sealed = $2::text, old_sealed = $3::text WHERE project_id = $1 AND sealed = $4',
});

/** Seals all secrets with the current signing key, so that an older one can be removed from the file. */
export async function resealSecrets(database: Database, keys: SigningKeys): Promise<void> {
  for (const { projectId, sealed, oldSealed } of await sealedWithOther(database, keys.current.kid)) {
    const reseal = (text: string) => resealSecret(keys, ownerOf(projectId), text) ?? text;
    await sealAgain(
      database,
      projectId,
      reseal(sealed),
      oldSealed === null ? null : reseal(oldSealed),
      sealed,
    );
  }
}

/** Projects with tools whose calls are not signed: without a secret. Experiences that cannot be launched do not count. */
export const unsignedProjects = onPool('admin').many<[], { projectId: string; experiences: number }>({
  name: 'unsigned_tools',
  text: `SELECT e.project_id AS "projectId", count(*)::integer AS experiences
           FROM projects p
           JOIN experiences e ON e.project_id = p.id AND e.status <> 'archived'
           JOIN revisions r ON r.experience_id = e.id AND r.number = e.latest_revision
          WHERE p.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM tool_secrets s WHERE s.project_id = p.id)
            AND json_array_length(r.runtime -> 'mind' -> 'tools') > 0
          GROUP BY e.project_id ORDER BY e.project_id LIMIT 100`,
});
