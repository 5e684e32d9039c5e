import { adminApi } from '@session-launch/contract/admin/api';
import {
  documentOperation,
  type ServiceStatus,
  statusOperation,
} from '@session-launch/contract/admin/status';
import { openApiDocument } from '@session-launch/contract/document';
import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from '../http/listener/server.ts';
import type { Database } from '../store/database.ts';

export interface StatusDeps {
  database: Database;
  version: string;
  publicUrl: string;
}

export async function statusRoutes(app: FastifyInstance, deps: StatusDeps): Promise<void> {
  const { database } = deps;
  app.get(
    statusOperation.path,
    async (): Promise<ServiceStatus> => ({
      version: deps.version,
      engine: database.engine,
      database: await database.ping().then(
        () => 'ok',
        (error: Error) => error.message,
      ),
      time: new Date().toISOString(),
      publicUrl: deps.publicUrl,
    }),
  );
  refuseOtherMethods(app, statusOperation.path, ['GET']);

  app.get(documentOperation.path, async () => openApiDocument(adminApi));
  refuseOtherMethods(app, documentOperation.path, ['GET']);
}
