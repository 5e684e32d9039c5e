import {
  createToolSecretOperation,
  readToolSecretOperation,
  tryToolOperation,
} from '@session-launch/contract/admin/tools';
import type { FastifyInstance } from 'fastify';
import { requireCredentials } from '../operators/rules.ts';
import { urlProblem } from '../outbound/target.ts';
import { invalidRequest } from '../primitives/errors.ts';
import { newId } from '../primitives/ids.ts';
import { schemaProblems } from '../tools/parameters.ts';
import { findSecrets, replaceSecret } from '../tools/secrets.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';

/** Seconds that a replaced secret also signs by default. */
const defaultGraceSeconds = 86_400;

export async function toolAdminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, commit, signingKeys, toolCalls } = deps;
  mount(app, readToolSecretOperation, async ({ params }) => {
    const projectId = await knownProject(database, params.projectId);
    const stored = await findSecrets(database, projectId);
    if (stored === undefined) return { isSigned: false };
    const { createdAt, oldExpiresAt } = stored;
    const isOldValid = oldExpiresAt !== null && oldExpiresAt > new Date();
    return {
      isSigned: true,
      createdAt: createdAt.toISOString(),
      ...(isOldValid ? { oldExpiresAt: oldExpiresAt.toISOString() } : {}),
    };
  });
  mount(app, createToolSecretOperation, async (call) => {
    const projectId = await knownProject(database, call.params.projectId);
    const { graceSeconds = defaultGraceSeconds } = call.body;
    const { secret, createdAt, oldExpiresAt } = await commit(call, async (tx, write) => {
      await requireCredentials(tx, call.actor);
      const created = await replaceSecret(tx, signingKeys, projectId, graceSeconds);
      const { createdAt, oldExpiresAt, isReplaced } = created;
      write.changed({ kind: 'project', id: projectId, projectId });
      write.audit({
        projectId,
        target: projectId,
        changes: [
          { path: 'toolSecret', after: createdAt.toISOString() },
          ...(isReplaced ? [{ path: 'oldExpiresAt', after: (oldExpiresAt ?? createdAt).toISOString() }] : []),
        ],
      });
      return created;
    });
    return {
      secret,
      createdAt: createdAt.toISOString(),
      ...(oldExpiresAt === undefined ? {} : { oldExpiresAt: oldExpiresAt.toISOString() }),
    };
  });
  mount(app, tryToolOperation, async ({ params, body }) => {
    const projectId = await knownProject(database, params.projectId);
    const { name, url, parameters } = body;
    const problems = [
      ...(parameters === undefined ? [] : schemaProblems(parameters)).map(({ path, message }) => ({
        path: ['parameters', ...path].join('.'),
        message,
      })),
      ...[urlProblem(url, { allowPrivate: true })].flatMap((message) =>
        message === undefined ? [] : [{ path: 'url', message }],
      ),
    ];
    if (problems.length > 0) throw invalidRequest(problems);
    const { response, ...exchange } = await toolCalls.call({
      projectId,
      sessionId: newId('ses'),
      userId: null,
      tool: { name, url, parameters },
      arguments: body.arguments,
    });
    return {
      ...exchange,
      ...(response === undefined
        ? {}
        : {
            response: {
              status: response.status,
              headers: response.headers,
              body: new TextDecoder().decode(response.body),
            },
          }),
    };
  });
}
