import { METHODS } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../errors.ts';
import { newId } from '../ids.ts';
import { answerLog, scrubbed } from '../observe/log.ts';
import { Traffic } from '../observe/traffic.ts';
import { onParserError, refuseExpectation, renderErrors, sendError, type Turn } from './error-handler.ts';
import { watchAnswers } from './in-flight.ts';
import { bodyLimit } from './json-body.ts';
import { admitToRouter, requireSound } from './strict-http.ts';
import { PublicRequest } from './upgrades.ts';

const maxHeaderSize = 16 * 1024;

/** A listener with what every answer has in common: request ids, security headers, errors, one log line. */
export function createServer(log: Logger, traffic = new Traffic(), turn?: Turn): FastifyInstance {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId('req'),
    requestIdHeader: false,
    // A logger for each request would be made for nothing: what is logged about a request names its id.
    childLoggerFactory: (logger) => logger,
    bodyLimit,
    exposeHeadRoutes: true,
    // Slow clients: headers within 10 s, the whole request within 30 s; idle connections are kept for 65 s, and those
    // on which an answer does not move, because it is not ready or nobody reads it, for 60 s.
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 65_000,
    // Hosts are looked at with the rest of what makes a request sound.
    http: {
      headersTimeout: 10_000,
      maxHeaderSize,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      IncomingMessage: PublicRequest,
    },
    forceCloseConnections: 'idle',
    // An id of any length gets the route's own answer, not one that gives away where the router stops reading.
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: false },
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => {
      void onParserError(error, socket).then((refusal) => refusal && refused(refusal));
    },
    rewriteUrl: admitToRouter,
    // Routes have no schemas of Fastify's. Without a word about it, a start would load two compilers for them.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // An address that cannot be decoded leads nowhere, and to no hook either.
    frameworkErrors: (error, request, reply) => {
      reply.headers(everyAnswer(request));
      reply.raw.once('close', () => answered(request, reply));
      return sendError(request, reply, new ApiError('NOT_FOUND', { cause: error }));
    },
  });
  const refused = ({ requestId, status }: { requestId: string; status: number }) => {
    traffic.answered('unreadable', status);
    log.info({ reqId: requestId, status }, 'refused a request that is not readable');
  };
  app.server.on('checkExpectation', (_request, response) => refused(refuseExpectation(response)));
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(everyAnswer(request));
    requireSound(request.raw);
    // Before a body is parsed: whatever was sent along, there is nothing at this address.
    done(request.is404 ? new ApiError('NOT_FOUND') : undefined);
  });
  const tell = answerLog(log);
  const answered = (request: FastifyRequest, reply: FastifyReply) => {
    const { url } = request.routeOptions;
    const status = reply.statusCode;
    traffic.answered(url ?? 'unknown', status);
    const route = url ?? unknownPath(request.url);
    tell({ requestId: request.id, method: request.method, route, status, ms: reply.elapsedTime });
  };
  app.addHook('onResponse', (request, reply, done) => {
    answered(request, reply);
    done();
  });
  closeWhenIdle(app, traffic);
  renderErrors(app, turn);
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method))
      app.addHttpMethod(method, { hasBody: true });
  }
  return app;
}

function noCompiler(): never {
  throw new Error('a route has a schema; requests are read by a reader of their own');
}

/**
 * A connection on which nothing was asked yet does not count as idle for Node, and would hold a stop up. So a stop
 * cuts what is left as soon as no request is under way, and after eight seconds in any case.
 */
function closeWhenIdle(app: FastifyInstance, traffic: Traffic): void {
  traffic.inFlight = watchAnswers(app.server);
  app.addHook('preClose', (done) => {
    const latest = performance.now() + 8_000;
    const timer = setInterval(() => {
      if (traffic.inFlight() > 0 && performance.now() < latest) return;
      clearInterval(timer);
      app.server.closeAllConnections();
    }, 50);
    done();
  });
}

/** The path of an address that leads nowhere, without what may be in it by mistake: a query, a credential. */
function unknownPath(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return scrubbed(decodeURIComponent(path)).slice(0, 200).replace(invisible, encodeURIComponent);
  } catch {
    return '(not decodable)';
  }
}

/** What JSON leaves as it is and a terminal obeys or hides: control characters, marks of direction, ends of lines. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function everyAnswer(request: FastifyRequest): Record<string, string> {
  return {
    'X-Request-Id': request.id,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}

/**
 * A path that exists answers every method it does not take with 405 and the list of those it does. Call it in
 * the scope of the path's own routes, so that the refusal has their headers.
 */
export function refuseOtherMethods(app: FastifyInstance, url: string, taken: readonly HTTPMethods[]): void {
  const allow = taken.includes('GET') ? [...taken, 'HEAD'] : taken;
  app.route({
    url,
    method: app.supportedMethods.filter((method) => !allow.includes(method)) as HTTPMethods[],
    // Before a body is parsed: the method is wrong whatever was sent along.
    onRequest: async () => {
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: allow.join(', ') } });
    },
    handler: async () => undefined,
  });
}
