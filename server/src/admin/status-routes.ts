import { adminApi } from '@session-launch/contract/admin/api';
import { documentOperation, statusOperation } from '@session-launch/contract/admin/status';
import { openApiDocument } from '@session-launch/contract/document';
import type { FastifyInstance } from 'fastify';
import { databaseStatus } from '../store/database.ts';
import type { AdminDeps } from './deps.ts';
import { mount } from './mount.ts';

export async function statusRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database } = deps;
  mount(app, statusOperation, async () => ({
    version: deps.version,
    engine: database.engine,
    database: await databaseStatus(database),
    time: new Date().toISOString(),
    publicUrl: deps.publicUrl,
  }));
  // Serialised once: the document has half a megabyte.
  let document: string | undefined;
  mount(app, documentOperation, ({ reply }) => {
    document ??= JSON.stringify(openApiDocument(adminApi));
    return reply.type('application/json; charset=utf-8').send(document);
  });
}
