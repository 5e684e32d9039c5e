import { adminApi } from '@session-launch/contract/admin/api';
import { type Operation, routePath } from '@session-launch/contract/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { jsonOf } from '../http/bodies/buffered-body.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import type { Sent } from '../primitives/sent.ts';
import { reader } from '../validation/validator.ts';

/** A validated request. A part that the operation does not define is `undefined`. */
export interface Call<O extends Operation> {
  params: ValueOf<O['params']>;
  query: ValueOf<O['query']>;
  /** The JSON body. Operations with other media types read `request.body`, a Buffer. */
  body: O['body'] extends { schema: infer Schema } ? ValueOf<Schema> : undefined;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** What a handler returns: the JSON body of the successful response, or the reply that it has sent itself. */
export type Answer<O extends Operation> = ContentOf<O['answers'][keyof O['answers']]> | FastifyReply;

type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;
type ContentOf<Documented> = Documented extends { content: { schema: infer Schema } }
  ? Sent<ValueOf<Schema>>
  : never;

/**
 * Adds the route of an operation of the admin listener. Method, path, validation of parameters, query and body, and the status of the
 * successful response come from the operation; other methods on its path get 405.
 */
export function mount<O extends Operation>(
  app: FastifyInstance,
  operation: O,
  handler: (call: Call<O>) => Promise<Answer<O>> | Answer<O>,
): void {
  const readParams = optionalReader(operation.params);
  const readQuery = optionalReader(operation.query);
  const readBody = optionalReader(operation.body?.schema);
  const status = Number(Object.keys(operation.answers)[0]);
  app.route({
    method: operation.method.toUpperCase(),
    url: routePath(operation),
    handler: async (request, reply) => {
      const params = readParams(request.params);
      const query = readQuery(request.query);
      const body = operation.body && readBody(jsonOf(request));
      reply.code(status);
      return handler({ params, query, body, request, reply } as Call<O>);
    },
  });
  const siblings = adminApi.operations.filter(({ path }) => path === operation.path);
  if (siblings[0]?.operationId !== operation.operationId) return;
  const methods = siblings.map(({ method }) => method.toUpperCase() as HTTPMethods);
  refuseOtherMethods(app, routePath(operation), methods);
}

function optionalReader(schema: TSchema | undefined): (value: unknown) => unknown {
  return schema === undefined ? () => undefined : reader(schema);
}
