import { adminApi } from '@session-launch/contract/admin/api';
import { documentOperation, statusOperation } from '@session-launch/contract/admin/status';
import { openApiDocument } from '@session-launch/contract/document';
import type { FastifyInstance } from 'fastify';
import type { AdminDeps } from './deps.ts';
import { mount } from './mount.ts';

export async function statusRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database } = deps;
  mount(app, statusOperation, async () => ({
    version: deps.version,
    engine: database.engine,
    database: await database.ping().then(
      () => 'ok',
      (error: Error) => error.message,
    ),
    time: new Date().toISOString(),
    publicUrl: deps.publicUrl,
  }));
  mount(app, documentOperation, () => openApiDocument(adminApi));
}
