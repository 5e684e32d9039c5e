import type { KeyMode } from '@session-launch/contract/admin/keys';
import type { Scope } from '@session-launch/contract/operation';
import { newId } from '../primitives/ids.ts';
import type { Transaction } from '../store/database.ts';
import { generateApiKey, hashApiKey, keyHint } from './api-key.ts';
import { type ApiKey, insertKey } from './store.ts';

export interface KeyWish {
  projectId: string;
  mode: KeyMode;
  scopes: readonly Scope[];
  name?: string;
  expiresAt?: Date | undefined;
}

/** Creates a key. The plain text is only in the return value; the database stores its hash. */
export async function createKey(
  tx: Transaction,
  prefix: string,
  wish: KeyWish,
): Promise<{ key: string; record: ApiKey }> {
  const key = generateApiKey(prefix, wish.mode);
  const record: ApiKey = {
    id: newId('key'),
    projectId: wish.projectId,
    mode: wish.mode,
    hint: keyHint(key),
    name: wish.name ?? null,
    scopes: [...new Set(wish.scopes)],
    createdAt: new Date(),
    expiresAt: wish.expiresAt ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await insertKey(tx, record, hashApiKey(key));
  return { key, record };
}
