import type { KeyRequest } from '@session-launch/contract/admin/keys';
import { newId } from '../primitives/ids.ts';
import type { Transaction } from '../store/database.ts';
import { generateApiKey, hashApiKey, keyHint } from './api-key.ts';
import { type ApiKey, insertKey } from './store.ts';

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
