import type { TSchema } from 'typebox';
import { errorAnswers, headersTooLarge, missingScope } from './error-answers.ts';
import { type AnswerHeaders, requestId } from './headers.ts';
import type { Bodies, DocumentedAnswer, Examples, Operation } from './operation.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

export interface OpenApiDocument {
  openapi: string;
  info: JsonObject;
  servers: Json[];
  tags: JsonObject[];
  paths: Record<string, Record<string, JsonObject>>;
  components: {
    securitySchemes: JsonObject;
    schemas: Record<string, JsonObject>;
    headers: Record<string, JsonObject>;
  };
}

/** One API of the service, described by one OpenAPI document. */
export interface Api {
  info: object;
  servers: object[];
  tags: object[];
  securitySchemes: object;
  /** Listed in this order. */
  operations: readonly Operation[];
  /** Schemas that operations reference by `$id`. */
  schemas: readonly TSchema[];
}

/** Builds the OpenAPI document of an API as plain JSON. */
export function openApiDocument(api: Api): OpenApiDocument {
  const headers: Record<string, JsonObject> = {};
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of api.operations) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] = described(operation, headers);
  }
  return {
    openapi: '3.1.0',
    info: plain(api.info),
    servers: api.servers.map(plain),
    tags: api.tags.map(plain),
    paths,
    components: {
      securitySchemes: plain(api.securitySchemes),
      schemas: sorted(Object.fromEntries(api.schemas.map(component))),
      headers: sorted(headers),
    },
  };
}

const security: Record<Operation['caller'], Json[]> = {
  'api-key': [{ apiKey: [] }],
  'admin-token': [{ adminToken: [] }],
  // Either token is accepted.
  'metrics-token': [{ adminToken: [] }, { metricsToken: [] }],
  'runtime-token': [{ runtimeToken: [] }],
  anyone: [],
};

function described(operation: Operation, headers: Record<string, JsonObject>): JsonObject {
  const { operationId, summary, tag, description, scope, everyAnswer = {} } = operation;
  const errorExamples = { ...(scope === undefined ? {} : missingScope(scope)), ...operation.errorExamples };
  const answers: Record<number, DocumentedAnswer> = {
    ...operation.answers,
    ...errorAnswers(operation.errors, everyAnswer, errorExamples),
    431: headersTooLarge,
  };
  const parameters = parametersOf(operation);
  const request = contentOf(operation.body, operation.bodies);
  return {
    operationId,
    summary,
    tags: [tag],
    description,
    ...(request === undefined ? {} : { requestBody: { required: true, content: request } }),
    ...(parameters.length === 0 ? {} : { parameters }),
    security: security[operation.caller],
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, response(answer, everyAnswer, headers)]),
    ),
  };
}

function parametersOf(operation: Operation): JsonObject[] {
  const places = { path: operation.params, query: operation.query, header: operation.headers };
  return Object.entries(places).flatMap(([place, fields]) =>
    Object.entries(fields?.properties ?? {}).map(([name, schema]) => {
      const { description, examples, ...rest } = plain(schema);
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
): JsonObject | undefined {
  const all: Bodies = { ...(json === undefined ? {} : { 'application/json': json }), ...bodies };
  return Object.keys(all).length === 0 ? undefined : plain(all);
}

function response(
  answer: DocumentedAnswer,
  everyAnswer: AnswerHeaders,
  shared: Record<string, JsonObject>,
): JsonObject {
  const own =
    answer === headersTooLarge ? answer.headers : { ...requestId, ...everyAnswer, ...answer.headers };
  const content = contentOf(answer.content, answer.bodies);
  return {
    description: answer.description,
    headers: Object.fromEntries(Object.entries(own).map(([name, header]) => [name, share(header, shared)])),
    ...(content === undefined ? {} : { content }),
  };
}

/** Puts a header among the components once and returns a reference to it. */
function share(header: AnswerHeaders[string], shared: Record<string, JsonObject>): JsonObject {
  const { 'x-component': name, 'x-required': required, description, examples, ...schema } = header;
  shared[name] = {
    description,
    ...(required === undefined ? {} : { required }),
    schema: plain(schema),
    example: examples[0] ?? null,
  };
  return { $ref: `#/components/headers/${name}` };
}

function component({ $id, ...schema }: TSchema & { $id?: string }): [name: string, schema: JsonObject] {
  return [String($id), plain(schema)];
}

/** Schema keywords that only this service's validator understands. */
const internal = ['errorMessage'];

function plain(value: object): JsonObject {
  return tidied(JSON.parse(JSON.stringify(value))) as JsonObject;
}

/** Removes internal keywords, adds `type: string` to string enums for code generators, and refers to named schemas by reference. */
function tidied(value: Json): Json {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$id === 'string') return { $ref: `#/components/schemas/${value.$id}` };
  const kept = Object.entries(value).filter(([key]) => !internal.includes(key));
  const result: JsonObject = Object.fromEntries(kept.map(([key, item]) => [key, tidied(item)]));
  if (typeof result.$ref === 'string')
    result.$ref = result.$ref.replace(/^(\w+)#$/, '#/components/schemas/$1');
  const listed = result.enum;
  const isText = Array.isArray(listed) && listed.every((item) => typeof item === 'string');
  return isText && result.type === undefined ? { type: 'string', ...result } : result;
}

function sorted<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
