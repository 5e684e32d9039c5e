import { errorAnswers, headersTooLarge, missingScope } from './error-answers.ts';
import { type AnswerHeaders, requestId } from './headers.ts';
import type { Bodies, DocumentedAnswer, Examples, Operation, Tag } from './operation.ts';
import { type Json, type JsonObject, type Paths, shareParts } from './shared-parts.ts';

export interface OpenApiDocument {
  openapi: string;
  info: JsonObject;
  servers: Json[];
  security?: Json[];
  tags: Tag[];
  paths: Paths;
  components: {
    securitySchemes: JsonObject;
    schemas: Record<string, JsonObject>;
    headers: Record<string, JsonObject>;
    responses: Record<string, JsonObject>;
    parameters: Record<string, JsonObject>;
    examples: Record<string, JsonObject>;
  };
}

/** One API of the service, described by one OpenAPI document. */
export interface Api {
  info: JsonObject;
  servers: JsonObject[];
  securitySchemes: JsonObject;
  /** Who calls most operations: the document states their security once. */
  caller?: Operation['caller'];
  /** Headers of every response, errors included. */
  everyAnswer?: AnswerHeaders;
  /** Listed in this order, as are their tags. Their schemas with an `$id` become components of the document. */
  operations: readonly Operation[];
}

/** A security scheme whose credential is a bearer token. */
export function bearer(description: string): JsonObject {
  return { type: 'http', scheme: 'bearer', description };
}

/** The components of the document, collected while the operations are described. */
interface Shared {
  schemas: Record<string, JsonObject>;
  headers: Record<string, JsonObject>;
}

/** Builds the OpenAPI document of an API as plain JSON. */
export function openApiDocument(api: Api): OpenApiDocument {
  const shared: Shared = { schemas: {}, headers: {} };
  const paths: Paths = {};
  for (const operation of api.operations) {
    const everyAnswer = { ...api.everyAnswer, ...operation.everyAnswer };
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] = {
      ...described(operation, everyAnswer, shared),
      ...(operation.caller === api.caller ? {} : { security: security[operation.caller] }),
    };
  }
  const parts = shareParts(paths);
  return {
    openapi: '3.1.0',
    info: api.info,
    servers: api.servers,
    ...(api.caller === undefined ? {} : { security: security[api.caller] }),
    tags: [...new Set(api.operations.map(({ tag }) => tag))],
    paths,
    components: {
      securitySchemes: api.securitySchemes,
      schemas: sorted(shared.schemas),
      headers: sorted(shared.headers),
      ...parts,
    },
  };
}

const security: Record<Operation['caller'], Json[]> = {
  'api-key': [{ apiKey: [] }],
  operator: [{ adminToken: [] }, { consoleCookie: [] }],
  // Either token is accepted.
  'metrics-token': [{ adminToken: [] }, { metricsToken: [] }],
  'runtime-token': [{ runtimeToken: [] }],
  anyone: [],
};

function described(operation: Operation, everyAnswer: AnswerHeaders, shared: Shared): JsonObject {
  const { operationId, summary, tag, description, scope } = operation;
  const errorExamples = { ...(scope === undefined ? {} : missingScope(scope)), ...operation.errorExamples };
  const answers: Record<number, DocumentedAnswer> = {
    ...operation.answers,
    ...errorAnswers(operation.errors ?? [], everyAnswer, errorExamples),
    431: headersTooLarge,
  };
  const parameters = parametersOf(operation, shared);
  const { isOptional, ...body } = operation.body ?? {};
  const request = contentOf(operation.body && (body as typeof operation.body), operation.bodies, shared);
  return {
    operationId,
    summary,
    tags: [tag.name],
    description,
    ...(request === undefined ? {} : { requestBody: { required: !isOptional, content: request } }),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, response(answer, everyAnswer, shared)]),
    ),
  };
}

function parametersOf(operation: Operation, shared: Shared): JsonObject[] {
  const places = { path: operation.params, query: operation.query, header: operation.headers };
  return Object.entries(places).flatMap(([place, fields]) =>
    Object.entries(fields?.properties ?? {}).map(([name, schema]) => {
      const { description, examples, ...rest } = plain(schema, shared);
      const [example] = (examples ?? []) as Json[];
      return {
        schema: rest,
        ...(example === undefined ? {} : { example }),
        in: place,
        name,
        required: place === 'path' || ((fields?.required ?? []) as string[]).includes(name),
        ...(description === undefined ? {} : { description }),
      };
    }),
  );
}

function contentOf(
  json: { schema: object; examples: Examples } | undefined,
  bodies: Bodies | undefined,
  shared: Shared,
): JsonObject | undefined {
  const all: Bodies = { ...(json === undefined ? {} : { 'application/json': json }), ...bodies };
  return Object.keys(all).length === 0 ? undefined : plain(all, shared);
}

function response(answer: DocumentedAnswer, everyAnswer: AnswerHeaders, shared: Shared): JsonObject {
  // The HTTP parser sends this response, without the headers of the routes.
  const shown = answer === headersTooLarge ? {} : everyAnswer;
  const own = { ...requestId, ...shown, ...answer.headers };
  const content = contentOf(answer.content, answer.bodies, shared);
  return {
    description: answer.description,
    headers: Object.fromEntries(Object.entries(own).map(([name, header]) => [name, share(header, shared)])),
    ...(content === undefined ? {} : { content }),
  };
}

/** Puts a header among the components once and returns a reference to it. */
function share(header: AnswerHeaders[string], shared: Shared): JsonObject {
  const { 'x-component': name, 'x-required': required, description, example, ...schema } = header;
  shared.headers[name] = {
    description,
    ...(required === undefined ? {} : { required }),
    schema: plain(schema, shared),
    example,
  };
  return { $ref: `#/components/headers/${name}` };
}

/** Schema keywords that only this service's validator understands. */
const internal = ['errorMessage', 'maxJson'];

function plain(value: object, shared: Shared): JsonObject {
  return tidied(value, shared) as JsonObject;
}

/** Removes internal keywords, adds `type: string` to string enums for code generators, and makes named schemas components. */
function tidied(value: unknown, shared: Shared): Json {
  if (Array.isArray(value)) return value.map((item) => tidied(item, shared));
  if (typeof value !== 'object' || value === null) return value as Json;
  const { $id, ...fields } = value as Record<string, unknown>;
  if (typeof $id === 'string') {
    shared.schemas[$id] ??= plain(fields, shared);
    return { $ref: `#/components/schemas/${$id}` };
  }
  const kept = Object.entries(fields).filter(([key, item]) => item !== undefined && !internal.includes(key));
  const result: JsonObject = Object.fromEntries(kept.map(([key, item]) => [key, tidied(item, shared)]));
  const listed = result.enum;
  const isText = Array.isArray(listed) && listed.every((item) => typeof item === 'string');
  return isText && result.type === undefined ? { type: 'string', ...result } : result;
}

function sorted<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
