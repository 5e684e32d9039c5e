import {
  type ApiKeyRecord,
  createKeyOperation,
  listKeysOperation,
  revokeKeyOperation,
} from '@session-launch/contract/admin/keys';
import { routePath, type Scope } from '@session-launch/contract/operation';
import type { FastifyInstance } from 'fastify';
import { jsonOf } from '../http/bodies/buffered-body.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import { createKey } from '../keys/create.ts';
import { type ApiKey, listKeys, revokeKey } from '../keys/store.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { knownProject, type ProjectRoute } from './known-project.ts';
import { readNewKey } from './requests.ts';

export interface KeyAdminDeps {
  database: Database;
  changes: Changes;
  keyRing: KeyRing;
  apiKeyPrefix: string;
}

export async function keyAdminRoutes(app: FastifyInstance, deps: KeyAdminDeps): Promise<void> {
  const { changes, keyRing, apiKeyPrefix } = deps;
  const { admin: orm } = deps.database;
  const path = routePath(listKeysOperation);
  app.get<ProjectRoute>(path, async (request) => {
    const projectId = await knownProject(orm, request.params.projectId);
    await keyRing.flush();
    return { keys: (await listKeys(orm, projectId)).map(keyRecord) };
  });
  app.post<ProjectRoute>(routePath(createKeyOperation), async (request, reply) => {
    const projectId = await knownProject(orm, request.params.projectId);
    const wanted = readNewKey(jsonOf(request));
    const { key, record } = await changes.commit(async (tx, changed) => {
      const created = await createKey(tx, apiKeyPrefix, projectId, wanted);
      changed({ kind: 'key', id: created.record.id });
      return created;
    });
    return reply.code(201).send({ ...keyRecord(record), key });
  });
  refuseOtherMethods(app, path, ['GET', 'POST']);

  const revokePath = routePath(revokeKeyOperation);
  app.post<{ Params: { keyId: string } }>(revokePath, async (request) => {
    const { keyId } = request.params;
    if (!keyId.startsWith('key_')) throw invalidRequest([{ path: 'keyId', message: 'must start with key_' }]);
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
  refuseOtherMethods(app, revokePath, ['POST']);
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
