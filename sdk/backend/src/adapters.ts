import { notAllowed, type Refusal, refuse } from './relay/answers.ts';
import { bodyLimit } from './relay/body.ts';
import type { Handler } from './relay/relay.ts';
import { setAddress } from './relay/visitor.ts';

/** What the adapters use of a request of node:http; Express's is one, too. */
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
  /** Whether the whole answer was handed to the socket; it closes before that when the caller hangs up. */
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

/** The framework's request for each `Request` that a handler gets. */
const requests = new WeakMap<Request, unknown>();

/** The request of Express, Fastify or node:http that an adapter took: where a session or a user of theirs stands. */
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

/** A handler for `app.all` or `app.post`, behind body parsers or not. */
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
  /** What a body parser made of the body, if there is one. */
  body: unknown;
  address: string | undefined;
  /** What `incomingOf` returns. */
  original: unknown;
}

/** Methods that `Request` throws at. */
const forbiddenMethods = /^(TRACE|TRACK|CONNECT)$/i;

/** The handler's answer; undefined if the caller hung up before the whole request was read. */
async function answered(handler: Handler, incoming: Incoming): Promise<Response | undefined> {
  const { method = 'GET' } = incoming.node;
  if (forbiddenMethods.test(method)) return refuse(notAllowed('GET, HEAD, POST, OPTIONS'));
  const url = addressOf(incoming.node);
  if (url === undefined) return refuse(unusable);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  let body: string | Uint8Array<ArrayBuffer> | undefined;
  try {
    body = hasBody ? (asText(incoming.node, incoming.body) ?? (await readStart(incoming.node))) : undefined;
  } catch {
    return undefined;
  }
  const request = webRequest(incoming, url, method, body);
  return request === undefined ? refuse(unusable) : handler(request);
}

const unusable: Refusal = {
  status: 400,
  code: 'INVALID_REQUEST',
  message: 'The address or a header of the request is not valid.',
};

function webRequest(
  { node, response, address, original }: Incoming,
  url: string,
  method: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
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
    // HTTP/2 has fields of its own, and the length was that of the body as it came.
    if (value === undefined || /^:|^(content-length|transfer-encoding|connection)$/.test(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  headers.set('host', hostOf(node));
  return headers;
}

function hostOf({ headers }: NodeRequest): string {
  return String(headers.host ?? headers[':authority'] ?? 'localhost');
}

/** The address that was asked for; undefined if it cannot be one. */
function addressOf(node: NodeRequest): string | undefined {
  const path = (node as { originalUrl?: string }).originalUrl ?? node.url ?? '/';
  const host = hostOf(node);
  // A host with more than a name and a port would change the path, or carry a password.
  if (/[^\w.:[\]-]/.test(host)) return undefined;
  // Proxies may send the whole address in the request line.
  const url = /^https?:\/\//i.test(path) ? path : `http://${host}${path}`;
  return URL.canParse(url) ? url : undefined;
}

/** A body that a parser has taken in already. An empty object may also mean that it took nothing. */
function asText(node: NodeRequest, body: unknown): string | Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (typeof body !== 'object' || body === null) return node.readableEnded ? '' : undefined;
  return node.readableEnded || Object.keys(body).length > 0 ? JSON.stringify(body) : undefined;
}

/** The body, or so much of it that it shows to be too long. */
function readStart(node: NodeRequest): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const finish = () => {
      const all = new Uint8Array(length);
      let at = 0;
      for (const chunk of chunks) {
        all.set(chunk, at);
        at += chunk.byteLength;
      }
      resolve(all);
    };
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length <= bodyLimit) return;
      node.off('data', take);
      // The rest flows away unread, so that the answer can leave.
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
