import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../primitives/errors.ts';

const methods: ReadonlySet<string | undefined> = new Set(METHODS);

/**
 * Connections that sent a request which Node's parser accepts and RFC 9112 forbids. A proxy in front may have parsed it differently
 * (request smuggling), so later bytes on the connection cannot be trusted.
 */
const distrusted = new WeakSet<Socket>();

/** The methods that the router knows: those of the routes, and TRACE for every other one. */
export const routedMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
const routed: ReadonlySet<string | undefined> = new Set(routedMethods);
/** The methods that the requests were sent with, where the router got TRACE instead. */
const sentMethods = new WeakMap<IncomingMessage, string>();

/**
 * Checks a request before the router; returns its URL. No route has one of the other methods, so they are routed as TRACE, which every
 * path refuses: registering a refusal for each of them on every path would add thousands of routes to every start.
 */
export function admitToRouter(request: IncomingMessage): string {
  if (!isValidHttp(request)) distrusted.add(request.socket);
  if (!routed.has(request.method)) {
    // The parser also accepts RTSP methods, which no log line needs to name.
    if (methods.has(request.method)) sentMethods.set(request, request.method as string);
    request.method = 'TRACE';
  }
  return request.url ?? '/';
}

/** Restores the method that the request was sent with, once it is routed. */
export function restoreMethod(request: IncomingMessage): void {
  if (request.method !== 'TRACE') return;
  const sent = sentMethods.get(request);
  if (sent !== undefined) request.method = sent;
}

/**
 * Rejects that request, every later one on its connection, and requests whose connection is already closed, because their client
 * address is no longer known. Reading the address here makes Node keep it.
 */
export function requireValidHttp({ socket }: IncomingMessage): void {
  if (!distrusted.has(socket) && socket.remoteAddress !== undefined) return;
  throw new ApiError('INVALID_REQUEST', {
    message: 'The request is not valid HTTP.',
    headers: { 'Cache-Control': 'no-store, private', Connection: 'close' },
  });
}

function isValidHttp(request: IncomingMessage): boolean {
  return (
    methods.has(request.method) &&
    /^1\.[01]$/.test(request.httpVersion) &&
    hasOneHost(request) &&
    hasPlainCoding(request)
  );
}

/** Node keeps the first of several Host headers and validates none. */
function hasOneHost({ rawHeaders, httpVersion, headers }: IncomingMessage): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count === 0) return httpVersion === '1.0';
  return count === 1 && /^[\w.~!$&'()*+,;=%:[\]-]*$/.test(headers.host ?? '');
}

/** Only `chunked` is decoded; a body in another transfer coding would be misread. */
function hasPlainCoding({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || (httpVersion === '1.1' && /^chunked$/i.test(coding));
}
