import type { Static, TSchema } from 'typebox';
import type { Operation } from './operation.ts';
import type { Sent } from './sent.ts';

/** Operations by route, such as `GET /admin/projects/{projectId}/keys`. */
export type ByRoute<O extends Operation> = {
  [One in O as `${Uppercase<One['method']>} ${One['path']}`]: One;
};

/**
 * The arguments of a client after the route: the parts of the request and the client's own options. They can be left out if nothing in
 * them is required. `File` is the type of a body that is not JSON.
 */
export type ArgumentsOf<O extends Operation, File, Own> =
  object extends CallOf<O, File> ? [call?: CallOf<O, File> & Own] : [call: CallOf<O, File> & Own];

/**
 * The parts of a request beside its route. Parts that the operation does not define cannot be sent. Callers write query and body in place
 * or with their type, because TypeScript reports an unknown field only there.
 */
type CallOf<O extends Operation, File> = Part<'params', ValueOf<O['params']>> &
  Part<'query', ValueOf<O['query']>> &
  Part<'body', O['body'] extends { schema: infer Schema } ? ValueOf<Schema> : undefined> &
  (O extends { bodies: unknown } ? { file: File } : unknown) &
  (O extends { isVersioned: infer Versioned }
    ? Versioned extends true
      ? { version: number }
      : { version?: number | undefined }
    : unknown) & {
    /** The media type of the answer. Default: JSON. */
    accept?: string;
  };

/** A part whose fields are all optional can be left out. */
type Part<Name extends string, Value> = Value extends undefined
  ? unknown
  : object extends Value
    ? { [N in Name]?: Sent<Value> }
    : { [N in Name]: Sent<Value> };

/** The JSON of the successful answers of an operation: `undefined` for answers without a body. */
export type AnswerOf<O extends Operation> = JsonOf<O['answers'][keyof O['answers']]>;

type JsonOf<Documented> = Documented extends { content: { schema: infer Schema } }
  ? ValueOf<Schema>
  : Documented extends { bodies: { 'application/json': { schema: infer Schema } } }
    ? ValueOf<Schema>
    : undefined;

export type ValueOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

/** A request as clients send it. */
interface PlainRequest {
  method: string;
  /** With parameters and query. */
  path: string;
  headers: Record<string, string>;
  /** The JSON body. Every request that is not a GET has one; `undefined` for a GET and for a file. */
  body: string | undefined;
}

/** The same parts without their types. */
interface Parts {
  params?: object;
  query?: object;
  body?: unknown;
  file?: unknown;
  version?: number | undefined;
  accept?: string;
}

/** Builds the request of a route. */
export function requestOf(route: string, parts: object = {}): PlainRequest {
  const { params = {}, query = {}, body, file, version, accept = 'application/json' } = parts as Parts;
  const [method = '', template = ''] = route.split(' ');
  const values = params as Record<string, string>;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]!));
  const search = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const isJson = method !== 'GET' && file === undefined;
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers: {
      accept,
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
    },
    body: isJson ? JSON.stringify(body ?? {}) : undefined,
  };
}
