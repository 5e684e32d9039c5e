import { notAllowed, Refused, refuse } from './relay/answers.ts';
import { bodyLimit } from './relay/body.ts';
import type { Handler } from './relay/relay.ts';
import { setAddress } from './relay/visitor.ts';

/** The members of a node:http request that the adapters use. Express requests have them, too. */
export interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  socket?: { remoteAddress?: string | undefined } | undefined;
  readableEnded?: boolean;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  resume(): unknown;
  destroyed?: boolean;
}

export interface NodeResponse {
  /** Whether the whole response was flushed. Still false on `close` if the client disconnected first. */
  writableFinished?: boolean;
  on(event: 'close', listener: () => void): unknown;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

export interface FastifyLikeRequest {
  raw: NodeRequest;
  body: unknown;
  ip: string;
}

export interface FastifyLikeReply {
  raw: NodeResponse;
  code(status: number): FastifyLikeReply;
  headers(headers: Record<string, string>): FastifyLikeReply;
  send(body: string): FastifyLikeReply;
}

/** The framework's request for each `Request` that is passed to a handler. */
const requests = new WeakMap<Request, unknown>();

/** Returns the original request of Express, Fastify or node:http, for example to read its session or user. */
export function incomingOf<T = unknown>(request: Request): T | undefined {
  return requests.get(request) as T | undefined;
}

/** A handler for `http.createServer` or a router on it. */
export function toNode(handler: Handler): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const { body } = request as { body?: unknown };
    const address = request.socket?.remoteAddress;
    const answer = await answered(handler, { node: request, response, body, address, original: request });
    if (answer !== undefined) await write(response, answer);
  };
}

/** A handler for `app.all` or `app.post`. Works with and without body parsers. */
export function toExpress(
  handler: Handler,
): (
  request: NodeRequest & { ip?: string | undefined; originalUrl?: string; body?: unknown },
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void {
  return (request, response, next) => {
    const { body, ip: address } = request;
    answered(handler, { node: request, response, body, address, original: request })
      .then(async (answer) => answer && write(response, answer))
      .catch(next);
  };
}

async function write(response: NodeResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
}

/** A handler for `fastify.all` or `fastify.post`. */
export function toFastify(
  handler: Handler,
): (request: FastifyLikeRequest, reply: FastifyLikeReply) => Promise<FastifyLikeReply> {
  return async (request, reply) => {
    const { raw: node, body, ip: address } = request;
    const answer = await answered(handler, { node, response: reply.raw, body, address, original: request });
    if (answer === undefined) return reply;
    return reply
      .code(answer.status)
      .headers(Object.fromEntries(answer.headers))
      .send(await answer.text());
  };
}

interface Incoming {
  node: NodeRequest;
  response: NodeResponse;
  /** The parsed body, if a body parser ran. */
  body: unknown;
  address: string | undefined;
  /** The request that `incomingOf` returns. */
  original: unknown;
}

type Body = string | Uint8Array<ArrayBuffer> | ArrayBuffer;

/** Methods for which the `Request` constructor throws. */
const forbiddenMethods = /^(TRACE|TRACK|CONNECT)$/i;

/** Returns the handler's response, or undefined if the client disconnected before the request body was read. */
async function answered(handler: Handler, incoming: Incoming): Promise<Response | undefined> {
  const { method = 'GET' } = incoming.node;
  if (forbiddenMethods.test(method)) return refuse(notAllowed('GET, HEAD, POST, OPTIONS').refusal);
  const url = addressOf(incoming.node);
  if (url === undefined) return refuse(unusable);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  let body: Body | undefined;
  try {
    body = hasBody
      ? (parsedBody(incoming.node, incoming.body) ?? (await readStart(incoming.node)))
      : undefined;
  } catch {
    return undefined;
  }
  const request = webRequest(incoming, url, method, body);
  return request === undefined ? refuse(unusable) : handler(request);
}

const { refusal: unusable } = new Refused(
  400,
  'INVALID_REQUEST',
  'The address or a header of the request is not valid.',
);

function webRequest(
  { node, response, address, original }: Incoming,
  url: string,
  method: string,
  body: Body | undefined,
): Request | undefined {
  const hungUp = new AbortController();
  response.on('close', () => {
    if (response.writableFinished !== true) hungUp.abort();
  });
  try {
    const init = { method, headers: headersOf(node), signal: hungUp.signal };
    const request = new Request(url, body === undefined ? init : { ...init, body });
    setAddress(request, address);
    requests.set(request, original);
    return request;
  } catch {
    return undefined;
  }
}

function headersOf(node: NodeRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(node.headers)) {
    // Skips HTTP/2 pseudo-headers, and headers that describe the original encoding and length of the body.
    if (value === undefined || /^:|^(content-length|transfer-encoding|connection)$/.test(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  headers.set('host', hostOf(node));
  return headers;
}

function hostOf({ headers }: NodeRequest): string {
  return String(headers.host ?? headers[':authority'] ?? 'localhost');
}

/** Returns the absolute URL of the request, or undefined if it is not valid. */
function addressOf(node: NodeRequest): string | undefined {
  const path = (node as { originalUrl?: string }).originalUrl ?? node.url ?? '/';
  const host = hostOf(node);
  // Other characters than those of a name and a port could change the path or add credentials.
  if (/[^\w.:[\]-]/.test(host)) return undefined;
  // Proxies may send an absolute URL in the request line.
  const url = /^https?:\/\//i.test(path) ? path : `http://${host}${path}`;
  return URL.canParse(url) ? url : undefined;
}

/**
 * Returns the body if a body parser has consumed it, or undefined if it still has to be read. An empty object counts as a parsed body
 * only if the stream has ended: parsers also set it when they skip the body.
 */
function parsedBody(node: NodeRequest, body: unknown): Body | undefined {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (typeof body !== 'object' || body === null) return node.readableEnded ? '' : undefined;
  return node.readableEnded || Object.keys(body).length > 0 ? JSON.stringify(body) : undefined;
}

/** Reads the body. Stops after the first chunk that exceeds `bodyLimit`, so that the handler returns 413. */
function readStart(node: NodeRequest): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    const finish = () => resolve(new Blob(chunks).arrayBuffer());
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
      length += chunk.byteLength;
      if (length <= bodyLimit) return;
      node.off('data', take);
      // Discards the rest of the body, so that the response can be sent.
      node.resume();
      finish();
    };
    const cutOff = () => reject(new Error('the request was cut off'));
    if (node.destroyed) cutOff();
    node.on('data', take);
    node.on('end', finish);
    node.on('error', reject);
    node.on('close', cutOff);
  });
}
