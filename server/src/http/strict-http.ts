import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../errors.ts';

const methods: ReadonlySet<string | undefined> = new Set(METHODS);

/**
 * Connections that brought a request which the parser lets pass and RFC 9112 does not. A proxy in front may have
 * understood it differently, so that what follows may be something that it never saw as a request.
 */
const distrusted = new WeakSet<Socket>();

/** Looks at a request before the router does; returns its address. */
export function admitToRouter(request: IncomingMessage): string {
  if (!isSound(request)) distrusted.add(request.socket);
  // The parser also reads RTSP, whose methods the router has no table for: it gets one that it knows, to refuse.
  if (!methods.has(request.method)) request.method = 'TRACE';
  return request.url ?? '/';
}

/**
 * Neither that request nor any that came behind it is carried out; nor is one whose connection is gone already, since
 * nobody can tell any more whose it was. Node keeps the address of a connection once somebody has asked for it.
 */
export function requireSound({ socket }: IncomingMessage): void {
  if (!distrusted.has(socket) && socket.remoteAddress !== undefined) return;
  throw new ApiError('INVALID_REQUEST', {
    message: 'The request is not valid HTTP.',
    headers: { 'Cache-Control': 'no-store, private', Connection: 'close' },
  });
}

function isSound(request: IncomingMessage): boolean {
  return (
    methods.has(request.method) &&
    /^1\.[01]$/.test(request.httpVersion) &&
    hasOneHost(request) &&
    hasPlainCoding(request)
  );
}

/** Node keeps the first of several, and looks at none. */
function hasOneHost({ rawHeaders, httpVersion, headers }: IncomingMessage): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count === 0) return httpVersion === '1.0';
  return count === 1 && /^[\w.~!$&'()*+,;=%:[\]-]*$/.test(headers.host ?? '');
}

/** No other coding is ever undone here, so a body in one would be read as something that it is not. */
function hasPlainCoding({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || (httpVersion === '1.1' && /^chunked$/i.test(coding));
}
