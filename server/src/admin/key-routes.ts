import {
  type ApiKeyRecord,
  createKeyOperation,
  keySchema,
  listKeysOperation,
  replaceKeyOperation,
  revokeKeyOperation,
  updateKeyOperation,
} from '@session-launch/contract/admin/keys';
import type { Scope } from '@session-launch/contract/operation';
import type { FastifyInstance } from 'fastify';
import { type Actor, requirePermission, sees } from '../audit/actor.ts';
import { createKey, isUsable, replaceKey } from '../keys/create.ts';
import { type ApiKey, listKeys, lockKey, renameKey, revokeKey } from '../keys/keys.ts';
import { requireCredentials } from '../operators/rules.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import { isId } from '../primitives/ids.ts';
import type { Transaction } from '../store/database.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { recordOf } from './record.ts';
import { expiryOf } from './requests.ts';

export async function keyAdminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, commit, keyRing, apiKeyPrefix } = deps;
  mount(app, listKeysOperation, async ({ params }) => {
    const projectId = await knownProject(database, params.projectId);
    await keyRing.flush();
    return { keys: (await listKeys(database, projectId)).map(keyRecord) };
  });
  mount(app, createKeyOperation, async (call) => {
    const { params, body } = call;
    const projectId = await knownProject(database, params.projectId);
    const wanted = { ...body, expiresAt: expiryOf(body) };
    const { key, record } = await commit(call, async (tx, write) => {
      await requireCredentials(tx, call.actor);
      const created = await createKey(tx, apiKeyPrefix, projectId, wanted);
      const { keyId, mode, scopes, name, expiresAt } = keyRecord(created.record);
      write.changed({ kind: 'key', id: keyId, projectId });
      write.audit({ projectId, target: keyId, changes: fieldChanges({}, { mode, scopes, name, expiresAt }) });
      return created;
    });
    return { ...keyRecord(record), key };
  });
  mount(app, revokeKeyOperation, async (call) => {
    const { keyId } = call.params;
    if (!isId('key', keyId)) throw new ApiError('KEY_NOT_FOUND');
    await keyRing.flush();
    const revoked = await commit(call, async (tx, write) => {
      const at = new Date();
      const record = await revokeKey(tx, keyId, at);
      if (record === undefined || !sees(call.actor, record.projectId)) throw new ApiError('KEY_NOT_FOUND');
      if (record.mode === 'live') requirePermission(call.actor, 'manage-projects');
      const { projectId } = record;
      write.changed({ kind: 'key', id: keyId, projectId });
      if (record.revokedAt?.getTime() === at.getTime())
        write.audit({ projectId, target: keyId, changes: [{ path: 'revokedAt', after: at.toISOString() }] });
      return record;
    });
    return keyRecord(revoked);
  });
  mount(app, replaceKeyOperation, async (call) => {
    const { graceSeconds = defaultGraceSeconds } = call.body;
    const { key, record, oldExpiresAt } = await commit(call, async (tx, write) => {
      await requireCredentials(tx, call.actor);
      const at = new Date();
      const old = await ownKey(tx, call.actor, call.params.keyId);
      if (!isUsable(old, at)) throw unusable();
      const replaced = await replaceKey(tx, apiKeyPrefix, old, { graceSeconds, at });
      const { projectId } = old;
      write.changed({ kind: 'key', id: old.id, projectId });
      write.changed({ kind: 'key', id: replaced.record.id, projectId });
      write.audit({
        projectId,
        target: old.id,
        changes: fieldChanges(
          { ...(old.expiresAt === null ? {} : { expiresAt: old.expiresAt.toISOString() }) },
          { expiresAt: replaced.oldExpiresAt.toISOString(), replacedBy: replaced.record.id },
        ),
      });
      return replaced;
    });
    return {
      ...keyRecord(record),
      key,
      replaces: call.params.keyId,
      oldExpiresAt: oldExpiresAt.toISOString(),
    };
  });
  mount(app, updateKeyOperation, async (call) => {
    const { name } = call.body;
    await keyRing.flush();
    const renamed = await commit(call, async (tx, write) => {
      const key = await ownKey(tx, call.actor, call.params.keyId);
      const changes = fieldChanges({ ...(key.name === null ? {} : { name: key.name }) }, { name });
      if (changes.length === 0) return key;
      await renameKey(tx, key.id, name);
      write.changed({ kind: 'key', id: key.id, projectId: key.projectId });
      write.audit({ projectId: key.projectId, target: key.id, changes });
      return { ...key, name };
    });
    return keyRecord(renamed);
  });
}

/** Seconds that a replaced key stays valid by default. */
const defaultGraceSeconds = 3600;

/** Reads and locks a key that this operator may change; throws 404 if there is none. */
async function ownKey(tx: Transaction, actor: Actor, keyId: string): Promise<ApiKey> {
  const key = isId('key', keyId) ? await lockKey(tx, keyId) : undefined;
  if (key === undefined || !sees(actor, key.projectId)) throw new ApiError('KEY_NOT_FOUND');
  if (key.mode === 'live') requirePermission(actor, 'manage-projects');
  return key;
}

function unusable(): ApiError {
  return invalidRequest([{ path: 'keyId', message: 'must name a key that is neither revoked nor expired' }]);
}

function keyRecord(key: ApiKey): ApiKeyRecord {
  return recordOf(keySchema, { ...key, keyId: key.id, scopes: key.scopes as Scope[] });
}
