import type { KeyRequest } from '@session-launch/contract/admin/keys';
import type { Scope } from '@session-launch/contract/operation';
import { newId } from '../primitives/ids.ts';
import type { Transaction } from '../store/database.ts';
import { generateApiKey, hashApiKey, keyHint } from './api-key.ts';
import { type ApiKey, expireKey, insertKey } from './keys.ts';

/** A key to create: the request of the admin API, with its expiry parsed. */
export interface NewKey extends Omit<KeyRequest, 'expiresAt'> {
  expiresAt?: Date | undefined;
}

/** Creates a key. The plain text is only in the return value; the database stores its hash. */
export async function createKey(
  tx: Transaction,
  prefix: string,
  projectId: string,
  { mode, scopes, name, expiresAt }: NewKey,
): Promise<{ key: string; record: ApiKey }> {
  const key = generateApiKey(prefix, mode);
  const record: ApiKey = {
    id: newId('key'),
    projectId,
    mode,
    hint: keyHint(key),
    name: name ?? null,
    scopes: [...new Set(scopes)],
    createdAt: new Date(),
    expiresAt: expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await insertKey(tx, record, hashApiKey(key));
  return { key, record };
}

/** Whether requests with this key are still accepted. */
export function isUsable({ revokedAt, expiresAt }: ApiKey, at: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > at);
}

/**
 * Creates a key with the settings of `old`, which the transaction has locked, and lets `old` expire after the grace period. The new key has
 * no expiry: that of `old` may be the end of an earlier grace period.
 */
export async function replaceKey(
  tx: Transaction,
  prefix: string,
  old: ApiKey,
  { graceSeconds, at }: { graceSeconds: number; at: Date },
): Promise<{ key: string; record: ApiKey; oldExpiresAt: Date }> {
  const graceEnd = new Date(at.getTime() + graceSeconds * 1000);
  const oldExpiresAt = old.expiresAt !== null && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
  await expireKey(tx, old.id, oldExpiresAt);
  const { mode, scopes, name } = old;
  const created = await createKey(tx, prefix, old.projectId, {
    mode,
    scopes: scopes as Scope[],
    ...(name === null ? {} : { name }),
  });
  return { ...created, oldExpiresAt };
}
