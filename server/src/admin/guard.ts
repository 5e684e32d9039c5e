import { adminApi } from '@session-launch/contract/admin/api';
import { backgroundHeader } from '@session-launch/contract/background';
import { routePath } from '@session-launch/contract/operation';
import { addressOf } from '@session-launch/process/client-address';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { setActor, unauthenticated } from '../audit/actor.ts';
import { Client } from '../limits/client-address.ts';
import type { Caller } from '../operators/authenticate.ts';
import { cookieOf } from '../operators/console-site.ts';
import { ApiError } from '../primitives/errors.ts';
import type { AdminDeps } from './deps.ts';
import { isEventStream } from './event-stream.ts';

export type GuardDeps = Pick<AdminDeps, 'authenticator' | 'site' | 'trustProxy'>;

/** Requires the token of an operator, or the cookie of the console, for every route of `app`, and forbids caching the responses. */
export function guardOperators(app: FastifyInstance, deps: GuardDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
    const caller = await callerOf(deps, request);
    if (caller === undefined) throw unauthenticated();
    const address = addressOf(request.raw, deps.trustProxy);
    setActor(request, { ...caller, address, requestId: request.id });
  });
}

/** The caller by token. */
export async function callerByToken(
  { authenticator, trustProxy }: Omit<GuardDeps, 'site'>,
  { headers, raw }: FastifyRequest,
): Promise<Caller | undefined> {
  const [, token] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token === undefined ? undefined : authenticator.byToken(token, new Client(raw, trustProxy));
}

async function callerOf(deps: GuardDeps, request: FastifyRequest): Promise<Caller | undefined> {
  const { headers, raw } = request;
  // A token wins over a cookie, even if it is not valid. Other schemes are for a proxy that asks for a password itself.
  if (/^bearer\b/i.test(headers.authorization ?? '')) return callerByToken(deps, request);
  if (!/(^|[;\s])(__Host-console|console_\d+)=/.test(headers.cookie ?? '')) return undefined;
  const { site, authenticator, trustProxy } = deps;
  const access = site.access(raw);
  const cookie = cookieOf(headers, access.cookie);
  if (cookie === undefined) return undefined;
  site.requireOwnPage(raw, access);
  requireMediaType(request);
  // Browsers reconnect the stream of events without user input, and cannot add a header to it.
  const isInBackground = headers[backgroundHeader] !== undefined || isEventStream(request);
  return authenticator.byCookie(cookie, new Client(raw, trustProxy), isInBackground);
}

/** Whether the request has the cookie of a valid login. A request whose cookie would be refused counts as signed out. */
export async function isSignedIn(deps: GuardDeps, request: FastifyRequest): Promise<boolean> {
  try {
    return (await callerOf(deps, request))?.login !== undefined;
  } catch (error) {
    if (error instanceof ApiError && ['CROSS_ORIGIN_REFUSED', 'HOST_NOT_KNOWN'].includes(error.code))
      return false;
    throw error;
  }
}

/** The media types of request bodies that are not JSON, by method and route. */
const uploads = new Map(
  adminApi.operations.map((operation) => [
    `${operation.method.toUpperCase()} ${routePath(operation)}`,
    Object.keys(operation.bodies ?? {}),
  ]),
);

/** Throws 403 if the body has a media type that a form of another page could send. */
export function requireMediaType({ method, headers, routeOptions }: FastifyRequest): void {
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined ? isEmpty : isExpected(type, uploads.get(`${method} ${routeOptions.url}`))) return;
  throw new ApiError('CROSS_ORIGIN_REFUSED', {
    message:
      'A request with the cookie of the console must have the media type of its route, such as application/json.',
  });
}

function isExpected(type: string, expected: readonly string[] = []): boolean {
  return ['application/json', ...expected].some(
    (one) => one === type || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
  );
}
