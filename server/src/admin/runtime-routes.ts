import {
  type Connected,
  type ConnectRequest,
  callToolOperation,
  connectOperation,
  reportOperation,
  type ToolCallRequest,
  type ToolCallResult,
} from '@session-launch/contract/runtime/lifecycle';
import type { Sent } from '@session-launch/contract/sent';
import type { FastifyInstance } from 'fastify';
import type { Directory } from '../content/directory.ts';
import { bufferBodies } from '../http/bodies/buffered-body.ts';
import { protectRoutes } from '../http/guards/bearer.ts';
import { toApiError } from '../http/listener/error-handler.ts';
import { runtimeManifest } from '../minting/manifest.ts';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import { type ChangeDeps, connectSession, reportSessions } from '../sessions/lifecycle.ts';
import { sessionRecord } from '../sessions/session.ts';
import type { TokenVerifier } from '../tokens/verify-token.ts';
import { findCallingSession } from '../tools/session.ts';
import type { ToolCalls } from '../tools/tool-calls.ts';
import { mount } from './mount.ts';

export interface RuntimeDeps extends ChangeDeps {
  /** The runtime token, valid only for these routes. */
  token: string;
  directory: Directory;
  tokens: TokenVerifier;
  toolCalls: ToolCalls;
}

/** Maximum size of a report in MiB. */
const reportMiB = 2;

/** The API for runtimes: connect a session, report its usage and call tools. */
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
  mount(app, callToolOperation, ({ params, body, request }) =>
    callTool(deps, params.sessionId, body, request.id),
  );
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

/** Calls a tool of the revision that the session runs. */
async function callTool(
  { database, directory, toolCalls, log }: RuntimeDeps,
  sessionId: string,
  { runtimeId, name, arguments: values }: ToolCallRequest,
  requestId: string,
): Promise<ToolCallResult> {
  const session = isId('ses', sessionId)
    ? await findCallingSession(database, sessionId, runtimeId ?? null)
    : undefined;
  if (session === undefined) throw new ApiError('SESSION_NOT_FOUND');
  const { projectId, experienceId, revision, userId } = session;
  const pinned = await directory.revision(projectId, experienceId, revision);
  const tool = pinned.runtime.mind?.tools?.find((one) => one.name === name);
  if (tool === undefined) throw new ApiError('TOOL_NOT_FOUND');
  const { outcome, output, milliseconds } = await toolCalls.call({
    ...{ projectId, sessionId, userId, tool },
    arguments: values,
  });
  // Never the arguments or the response, which contain what users have said.
  if (outcome !== 'done')
    log.info({ reqId: requestId, sessionId, tool: name, outcome, milliseconds }, 'a call of a tool failed');
  return { outcome, output };
}
