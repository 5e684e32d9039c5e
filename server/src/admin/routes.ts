import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { ApiError, invalidRequest } from '../errors.ts';
import { parseJson } from '../http/json-body.ts';
import { refuseOtherMethods } from '../http/server.ts';
import { isId } from '../ids.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import { createKey } from '../keys/create.ts';
import { type ApiKey, listKeys, revokeKey } from '../keys/store.ts';
import { openApply } from '../projects/apply.ts';
import { openExport } from '../projects/export.ts';
import { ProjectFileError } from '../projects/problem.ts';
import { findProject, listProjects } from '../projects/store.ts';
import { sessionRecord } from '../sessions/session-record.ts';
import { listSessions } from '../sessions/store.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { requireAdmin } from './authenticate.ts';
import { readKeyWish, readSessionQuery } from './requests.ts';

export interface AdminDeps {
  token: string;
  database: Database;
  changes: Changes;
  keyRing: KeyRing;
  apiKeyPrefix: string;
  version: string;
  publicUrl: string;
  metrics: Registry;
}

const projectFileLimit = 4 * 1024 * 1024;
/** As long as the command line waits. */
const applyTimeout = 120_000;

export async function adminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, changes } = deps;
  const { orm } = database;
  const admit = requireAdmin(deps.token);
  const apply = openApply({ database, changes });
  const exportFile = openExport(orm);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
    admit(request.headers.authorization);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: projectFileLimit },
    (_request, body, done) => {
      done(null, body);
    },
  );
  app.setErrorHandler((error: Error & { code?: string }) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error;
    throw new ApiError('PAYLOAD_TOO_LARGE', { message: 'The request body is larger than 4 MiB.' });
  });

  app.get('/admin/status', async () => ({
    version: deps.version,
    engine: database.engine,
    database: await database.ping().then(
      () => 'ok',
      (error: Error) => error.message,
    ),
    time: new Date().toISOString(),
    publicUrl: deps.publicUrl,
  }));
  refuseOtherMethods(app, '/admin/status', ['GET']);

  app.get('/metrics', async (_request, reply) =>
    reply.type(deps.metrics.contentType).send(await deps.metrics.metrics()),
  );
  refuseOtherMethods(app, '/metrics', ['GET']);

  app.get('/admin/projects', async () => ({
    projects: (await listProjects(orm)).map((row) => ({
      projectId: row.id,
      name: row.name,
      browserEmbeds: row.browserEmbeds,
      experiences: row.experiences,
    })),
  }));
  app.post('/admin/projects', async (request) => {
    // A large file may have to wait for its turn, and then takes its time.
    request.raw.setTimeout(applyTimeout);
    const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    const format = /json/i.test(request.headers['content-type'] ?? '') ? 'json' : 'yaml';
    try {
      return await apply(bytes, format);
    } catch (error) {
      if (!(error instanceof ProjectFileError)) throw error;
      throw new ApiError('PROJECT_FILE_INVALID', {
        message: error.message,
        details: error.problems,
        cause: error,
      });
    }
  });
  refuseOtherMethods(app, '/admin/projects', ['GET', 'POST']);

  app.get<ProjectRoute>('/admin/projects/:projectId', async (request, reply) => {
    const format = /yaml/i.test(request.headers.accept ?? '') ? 'yaml' : 'json';
    const file = await exportFile(await knownProject(database, request.params.projectId), format);
    if (file === undefined) throw new ApiError('PROJECT_NOT_FOUND');
    return reply.type(`application/${format}; charset=utf-8`).send(file);
  });
  refuseOtherMethods(app, '/admin/projects/:projectId', ['GET']);

  app.get<ProjectRoute>('/admin/projects/:projectId/keys', async (request) => {
    const projectId = await knownProject(database, request.params.projectId);
    await deps.keyRing.flush();
    return { keys: (await listKeys(orm, projectId)).map(keyRecord) };
  });
  app.post<ProjectRoute>('/admin/projects/:projectId/keys', async (request, reply) => {
    const projectId = await knownProject(database, request.params.projectId);
    const wish = readKeyWish(parseJson((request.body as Buffer | undefined) ?? Buffer.alloc(0)));
    const { key, record } = await database.transaction((tx) =>
      createKey(tx, changes, deps.apiKeyPrefix, { projectId, ...wish }),
    );
    changes.apply({ kind: 'key', id: record.id });
    return reply.code(201).send({ ...keyRecord(record), key });
  });
  refuseOtherMethods(app, '/admin/projects/:projectId/keys', ['GET', 'POST']);

  app.post<{ Params: { keyId: string } }>('/admin/keys/:keyId/revoke', async (request) => {
    const { keyId } = request.params;
    if (!keyId.startsWith('key_')) throw invalidRequest([{ path: 'keyId', message: 'must start with key_' }]);
    await deps.keyRing.flush();
    const revoked = isId('key', keyId)
      ? await database.transaction(async (tx) => {
          const record = await revokeKey(tx, keyId, new Date());
          if (record) await changes.announce(tx, { kind: 'key', id: keyId });
          return record;
        })
      : undefined;
    if (revoked === undefined) throw new ApiError('KEY_NOT_FOUND');
    changes.apply({ kind: 'key', id: keyId });
    return keyRecord(revoked);
  });
  refuseOtherMethods(app, '/admin/keys/:keyId/revoke', ['POST']);

  app.get<ProjectRoute & { Querystring: Record<string, unknown> }>(
    '/admin/projects/:projectId/sessions',
    async (request) => {
      const projectId = await knownProject(database, request.params.projectId);
      const { limit, cursor, ...filter } = readSessionQuery(request.query);
      const found = await listSessions(orm, projectId, filter, limit + 1, cursor);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        sessions: page.map(sessionRecord),
        ...(found.length > limit && last ? { nextCursor: last.id } : {}),
      };
    },
  );
  refuseOtherMethods(app, '/admin/projects/:projectId/sessions', ['GET']);
}

interface ProjectRoute {
  Params: { projectId: string };
}

async function knownProject(database: Database, projectId: string): Promise<string> {
  if (!projectId.startsWith('prj_')) {
    throw invalidRequest([{ path: 'projectId', message: 'must start with prj_' }]);
  }
  if (!isId('prj', projectId) || !(await findProject(database.orm, projectId)))
    throw new ApiError('PROJECT_NOT_FOUND');
  return projectId;
}

function keyRecord(key: ApiKey): object {
  return {
    keyId: key.id,
    projectId: key.projectId,
    hint: key.hint,
    mode: key.mode,
    scopes: key.scopes,
    ...(key.name === null ? {} : { name: key.name }),
    createdAt: key.createdAt.toISOString(),
    ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt.toISOString() }),
    ...(key.revokedAt === null ? {} : { revokedAt: key.revokedAt.toISOString() }),
    ...(key.lastUsedAt === null ? {} : { lastUsedAt: key.lastUsedAt.toISOString() }),
  };
}
