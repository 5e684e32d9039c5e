import {
  type Connected,
  type ConnectRequest,
  connectOperation,
  reportOperation,
} from '@session-launch/contract/runtime/lifecycle';
import type { Sent } from '@session-launch/contract/sent';
import type { FastifyInstance } from 'fastify';
import type { Directory } from '../content/directory.ts';
import { bufferBodies } from '../http/bodies/buffered-body.ts';
import { protectRoutes } from '../http/guards/bearer.ts';
import { toApiError } from '../http/listener/error-handler.ts';
import { runtimeManifest } from '../minting/manifest.ts';
import { type ChangeDeps, connectSession, reportSessions } from '../sessions/lifecycle.ts';
import { sessionRecord } from '../sessions/session.ts';
import type { TokenVerifier } from '../tokens/verify-token.ts';
import { mount } from './mount.ts';

export interface RuntimeDeps extends ChangeDeps {
  /** The runtime token, valid only for these routes. */
  token: string;
  directory: Directory;
  tokens: TokenVerifier;
}

/** Maximum size of a report in MiB. */
const reportMiB = 2;

/** The API for runtimes: connect a session and report its usage. */
export async function runtimeRoutes(app: FastifyInstance, deps: RuntimeDeps): Promise<void> {
  protectRoutes(app, deps.token, 'RUNTIME_TOKEN_INVALID');
  bufferBodies(app, reportMiB);

  mount(app, connectOperation, async ({ params, body, request }) => {
    try {
      return await connect(deps, params.sessionId, body, request.id);
    } catch (error) {
      deps.counts.connected(toApiError(error as Error).code);
      throw error;
    }
  });
  mount(app, reportOperation, ({ body, request }) => reportSessions(deps, body, request.id));
}

async function connect(
  deps: RuntimeDeps,
  sessionId: string,
  { sessionToken, runtimeId, client }: ConnectRequest,
  requestId: string,
): Promise<Sent<Connected>> {
  const { projectId, experienceId, revision } = deps.tokens.verify(sessionToken, sessionId);
  // Look up the revision first: if that fails, the session has not been connected and can be retried.
  const pinned = await deps.directory.revision(projectId, experienceId, revision);
  const session = await connectSession(deps, { sessionId, projectId, runtimeId, client }, requestId);
  return {
    session: sessionRecord(session),
    manifest: runtimeManifest(session, pinned),
    mind: pinned.runtime.mind ?? {},
    limits: pinned.runtime.limits,
  };
}
