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
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

export interface FastifyLikeRequest {
  raw: NodeRequest;
  body: unknown;
  ip: string;
}

export interface FastifyLikeReply {
  code(status: number): FastifyLikeReply;
  headers(headers: Record<string, string>): FastifyLikeReply;
  send(body: string): FastifyLikeReply;
}

/** The requests of frameworks behind those that handlers get. */
const incoming = new WeakMap<Request, unknown>();

/** The request of Express, Fastify or node:http that an adapter took: where a session or a user of theirs stands. */
export function incomingOf<T = unknown>(request: Request): T | undefined {
  return incoming.get(request) as T | undefined;
}

/** A handler for `http.createServer` or a router on it. */
export function toNode(handler: Handler): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const { body } = request as { body?: unknown };
    const web = await webRequest(request, body, request.socket?.remoteAddress, request).catch(
      () => undefined,
    );
    // Cut off while it was read: nobody is there to answer.
    if (web !== undefined) await write(response, await handler(web));
  };
}

/** A handler for `app.post`, behind body parsers or not. */
export function toExpress(
  handler: Handler,
): (
  request: NodeRequest & { ip?: string | undefined; originalUrl?: string; body?: unknown },
  response: NodeResponse,
  next: (error?: unknown) => void,
) => void {
  return (request, response, next) => {
    webRequest(request, request.body, request.ip, request)
      .then(async (web) => write(response, await handler(web)))
      .catch(next);
  };
}

async function write(response: NodeResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
}

/** A handler for `fastify.post`. */
export function toFastify(
  handler: Handler,
): (request: FastifyLikeRequest, reply: FastifyLikeReply) => Promise<FastifyLikeReply> {
  return async (request, reply) => {
    const answer = await handler(await webRequest(request.raw, request.body, request.ip, request));
    return reply
      .code(answer.status)
      .headers(Object.fromEntries(answer.headers))
      .send(await answer.text());
  };
}

async function webRequest(
  node: NodeRequest,
  parsed: unknown,
  address: string | undefined,
  original: unknown,
): Promise<Request> {
  const { method = 'GET' } = node;
  const headers = new Headers();
  for (const [name, value] of Object.entries(node.headers)) {
    // HTTP/2 has fields of its own, and the length was that of the body as it came.
    if (value === undefined || /^:|^(content-length|transfer-encoding|connection)$/.test(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  const host = headers.get('host') ?? String(node.headers[':authority'] ?? 'localhost');
  headers.set('host', host);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? (asText(node, parsed) ?? (await readStart(node))) : undefined;
  const request = new Request(addressOf(host, (node as { originalUrl?: string }).originalUrl ?? node.url), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  setAddress(request, address);
  incoming.set(request, original);
  return request;
}

function addressOf(host: string, path = '/'): string {
  const url = `http://${host}${path}`;
  return URL.canParse(url) ? url : 'http://localhost/';
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
