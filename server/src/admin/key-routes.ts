import {
  type ApiKeyRecord,
  createKeyOperation,
  listKeysOperation,
  revokeKeyOperation,
} from '@session-launch/contract/admin/keys';
import type { Scope } from '@session-launch/contract/operation';
import type { FastifyInstance } from 'fastify';
import { createKey } from '../keys/create.ts';
import { type ApiKey, listKeys, revokeKey } from '../keys/store.ts';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { expiryOf } from './requests.ts';

export async function keyAdminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, changes, keyRing, apiKeyPrefix } = deps;
  mount(app, listKeysOperation, async ({ params }) => {
    const projectId = await knownProject(database, params.projectId);
    await keyRing.flush();
    return { keys: (await listKeys(database, projectId)).map(keyRecord) };
  });
  mount(app, createKeyOperation, async ({ params, body }) => {
    const projectId = await knownProject(database, params.projectId);
    const wanted = { ...body, expiresAt: expiryOf(body) };
    const { key, record } = await changes.commit(async (tx, changed) => {
      const created = await createKey(tx, apiKeyPrefix, projectId, wanted);
      changed({ kind: 'key', id: created.record.id });
      return created;
    });
    return { ...keyRecord(record), key };
  });
  mount(app, revokeKeyOperation, async ({ params: { keyId } }) => {
    if (!isId('key', keyId)) throw new ApiError('KEY_NOT_FOUND');
    await keyRing.flush();
    const revoked = await changes.commit(async (tx, changed) => {
      const record = await revokeKey(tx, keyId, new Date());
      if (record) changed({ kind: 'key', id: keyId });
      return record;
    });
    if (revoked === undefined) throw new ApiError('KEY_NOT_FOUND');
    return keyRecord(revoked);
  });
}

function keyRecord(key: ApiKey): ApiKeyRecord {
  return {
    keyId: key.id,
    projectId: key.projectId,
    hint: key.hint,
    mode: key.mode,
    scopes: key.scopes as Scope[],
    ...(key.name === null ? {} : { name: key.name }),
    createdAt: key.createdAt.toISOString(),
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt.toISOString() }),
    ...(key.revokedAt === null ? {} : { revokedAt: key.revokedAt.toISOString() }),
    ...(key.lastUsedAt === null ? {} : { lastUsedAt: key.lastUsedAt.toISOString() }),
  };
}
