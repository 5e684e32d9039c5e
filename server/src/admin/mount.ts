import { adminApi } from '@session-launch/contract/admin/api';
import type { AnswerOf, ValueOf } from '@session-launch/contract/call';
import { type Operation, routePath } from '@session-launch/contract/operation';
import type { Sent } from '@session-launch/contract/sent';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { TSchema } from 'typebox';
import { type Actor, actorOf, requireAllProjects, requirePermission, sees } from '../audit/actor.ts';
import { bytesOf, isEmpty, jsonOf } from '../http/bodies/buffered-body.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { ApiError } from '../primitives/errors.ts';
import { largeReader, reader } from '../primitives/validator.ts';

/** A validated request. A part that the operation does not define is `undefined`. */
export interface Call<O extends Operation> {
  params: ValueOf<O['params']>;
  query: ValueOf<O['query']>;
  /** The JSON body. Operations with other media types read `request.body`, a Buffer. */
  body: O['body'] extends { schema: infer Schema } ? ValueOf<Schema> : undefined;
  /** The operator who calls. Only operations for operators have one. */
  actor: O['caller'] extends 'operator' ? Actor : undefined;
  /** The audit action of the operation. */
  action: string | undefined;
  /** The version in `If-Match`, for operations that require or accept one. */
  version: VersionOf<O['isVersioned']>;
  request: FastifyRequest;
  reply: FastifyReply;
}

type VersionOf<Versioned> = Versioned extends true
  ? number
  : Versioned extends 'if sent'
    ? number | undefined
    : undefined;

/** What a handler returns: the JSON body of the successful response, or the reply that it has sent itself. */
export type Answer<O extends Operation> = Sent<AnswerOf<O>> | FastifyReply;

/** Bytes of a body above which only its first violation is reported. */
const largeBody = 64 * 1024;

/**
 * Adds the route of an operation of the admin listener. From the operation come method, path, the permission that the operator needs, the
 * required `If-Match`, validation of parameters, query and body, and the status of the successful response; other methods on its path
 * get 405. Checks run in this order: authentication (by the guard of the scope), permission, validation, project, `If-Match`.
 */
export function mount<O extends Operation>(
  app: FastifyInstance,
  operation: O,
  handler: (call: Call<O>) => Promise<Answer<O>> | Answer<O>,
): void {
  const { permission, isOfService, furtherPermissions = [], action, isVersioned } = operation as Operation;
  const isForOperators = operation.caller === 'operator';
  if (isForOperators && permission === undefined)
    throw new Error(`${operation.operationId} has no permission`);
  const readParams = optionalReader(operation.params);
  const readQuery = optionalReader(operation.query);
  const readBody = optionalReader(operation.body?.schema);
  const readLargeBody = optionalReader(operation.body?.schema, largeReader);
  const isBodyOptional = (operation as Operation).body?.isOptional ?? false;
  const status = Number(Object.keys(operation.answers)[0]);
  app.route({
    method: operation.method.toUpperCase(),
    url: routePath(operation),
    handler: async (request, reply) => {
      const actor = isForOperators ? actorOf(request) : undefined;
      if (actor !== undefined) {
        requirePermission(actor, permission!);
        if (isOfService) requireAllProjects(actor);
      }
      const params = readParams(request.params);
      const query = readQuery(request.query);
      const read = bytesOf(request).length > largeBody ? readLargeBody : readBody;
      const body = operation.body && read(isBodyOptional && isEmpty(request) ? {} : jsonOf(request));
      if (actor !== undefined) {
        for (const { permission, appliesTo } of furtherPermissions) {
          if (appliesTo(body, query)) requirePermission(actor, permission);
        }
        requireVisible(actor, params);
      }
      const hasVersion = isVersioned === true || (isVersioned && request.headers['if-match'] !== undefined);
      const version = hasVersion ? versionOf(request) : undefined;
      reply.code(status);
      return handler({ params, query, body, actor, action, version, request, reply } as Call<O>);
    },
  });
  const siblings = adminApi.operations.filter(({ path }) => path === operation.path);
  if (siblings[0]?.operationId !== operation.operationId) return;
  const methods = siblings.map(({ method }) => method.toUpperCase() as HTTPMethods);
  refuseOtherMethods(app, routePath(operation), methods);
}

/** Throws 404 if the path names a project that this operator does not see. */
function requireVisible(actor: Actor, params: unknown): void {
  const projectId = (params as { projectId?: string } | undefined)?.projectId;
  if (projectId !== undefined && !sees(actor, projectId)) throw new ApiError('PROJECT_NOT_FOUND');
}

/** Reads the version from `If-Match`; throws 428 without one. Accepts weak tags: proxies that compress responses make ETags weak. */
function versionOf({ headers }: FastifyRequest): number {
  const [, version] = /^(?:W\/)?"([1-9]\d{0,9})"$/.exec(headers['if-match'] ?? '') ?? [];
  if (version === undefined) throw new ApiError('VERSION_REQUIRED');
  return Number(version);
}

/** Compiles the schema on the first request. Compiling all schemas of the admin API would take a tenth of the start. */
function optionalReader(schema: TSchema | undefined, compile = reader): (value: unknown) => unknown {
  if (schema === undefined) return () => undefined;
  let read: ((value: unknown) => unknown) | undefined;
  return (value) => {
    read ??= compile(schema);
    return read(value);
  };
}
