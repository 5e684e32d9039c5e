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
    headers?: Record<string, JsonObject>;
  };
}

/** Keywords that only this service's own validator understands. */
const internal = ['errorMessage'];

/** The generated document as it is published: plain JSON, complete, and without what is for internal use. */
export function published(generated: OpenApiDocument): OpenApiDocument {
  const document = tidied(JSON.parse(JSON.stringify(generated))) as unknown as OpenApiDocument;
  const headers: Record<string, JsonObject> = {};
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      placeRequestExamples(operation);
      for (const answer of Object.values(operation.responses as Record<string, JsonObject>)) {
        shareHeaders(answer, headers);
      }
    }
  }
  const { openapi, info, servers, tags, paths, components } = document;
  return {
    openapi,
    info,
    servers,
    tags,
    paths,
    components: {
      securitySchemes: components.securitySchemes,
      schemas: sorted(components.schemas),
      headers: sorted(headers),
    },
  };
}

/** Drops internal keywords, and gives enumerations of strings the type that code generators look for. */
function tidied(value: Json): Json {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !internal.includes(key));
  const result: JsonObject = Object.fromEntries(kept.map(([key, item]) => [key, tidied(item)]));
  const listed = result.enum;
  if (
    Array.isArray(listed) &&
    result.type === undefined &&
    listed.every((item) => typeof item === 'string')
  ) {
    return { type: 'string', ...result };
  }
  return result;
}

/** @fastify/swagger has no place for named examples of a body, so operations bring them in a field of their own. */
function placeRequestExamples(operation: JsonObject): void {
  const examples = operation['x-request-examples'];
  delete operation['x-request-examples'];
  if (examples === undefined) return;
  const { content } = operation.requestBody as { content: Record<string, JsonObject> };
  for (const media of Object.values(content)) media.examples = examples;
}

/** Headers stand once among the components, and answers refer to them. */
function shareHeaders(answer: JsonObject, shared: Record<string, JsonObject>): void {
  const headers = (answer.headers ?? {}) as Record<string, { schema: JsonObject; description: string }>;
  for (const [name, { schema, description }] of Object.entries(headers)) {
    const { 'x-component': component, 'x-required': required, examples, ...rest } = schema;
    const [example] = examples as Json[];
    shared[component as string] = {
      description,
      ...(required === undefined ? {} : { required }),
      schema: rest,
      example: example as Json,
    };
    (answer.headers as JsonObject)[name] = { $ref: `#/components/headers/${component as string}` };
  }
}

function sorted<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
