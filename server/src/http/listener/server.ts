import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { answerLog, scrubbed } from '../../observe/log.ts';
import { traceIdOf } from '../../observe/trace.ts';
import { Traffic } from '../../observe/traffic.ts';
import { ApiError } from '../../primitives/errors.ts';
import { newId } from '../../primitives/ids.ts';
import { bodyLimit } from '../bodies/json-body.ts';
import { type RefusalDelay, renderErrors, sendError } from './error-handler.ts';
import { watchAnswers } from './in-flight.ts';
import { onParserError, type Refused, refuseExpectation } from './parser-errors.ts';
import { admitToRouter, requireValidHttp, restoreMethod, routedMethods } from './strict-http.ts';
import { PublicRequest } from './upgrades.ts';

const maxHeaderSize = 16 * 1024;

/** Creates a listener with the parts that all responses share: request id, security headers, error handler, one log line. */
export function createServer(
  log: Logger,
  traffic = new Traffic(),
  refusalDelay?: RefusalDelay,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId('req'),
    requestIdHeader: false,
    // No child logger per request: log lines carry the request id explicitly.
    childLoggerFactory: (logger) => logger,
    bodyLimit,
    exposeHeadRoutes: true,
    // Slow clients: headers within 10 s, the whole request within 30 s. Idle connections are kept for 65 s; connections whose response
    // makes no progress, because it is not ready or the client does not read it, for 60 s.
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 65_000,
    // The Host header is validated in strict-http.ts.
    http: {
      headersTimeout: 10_000,
      maxHeaderSize,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      IncomingMessage: PublicRequest,
    },
    forceCloseConnections: 'idle',
    // An id of any length gets the route's own response instead of the router's length error.
    routerOptions: { maxParamLength: maxHeaderSize, ignoreTrailingSlash: false },
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => {
      void onParserError(error, socket).then((refusal) => refusal && refused(refusal));
    },
    rewriteUrl: admitToRouter,
    // Routes use no Fastify schemas; without these settings a start would load two schema compilers.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // A URL that cannot be decoded is a 404; Fastify runs no hooks for it.
    frameworkErrors: (error, request, reply) => {
      restoreMethod(request.raw);
      reply.headers(commonHeaders(request));
      reply.raw.once('close', () => answered(request, reply));
      return sendError(request, reply, new ApiError('NOT_FOUND', { cause: error }));
    },
  });
  const refused = ({ requestId, status }: Refused) => {
    traffic.answered('unreadable', status);
    log.info({ reqId: requestId, status }, 'refused a malformed request');
  };
  app.server.on('checkExpectation', (_request, response) => refused(refuseExpectation(response)));
  app.addHook('onRequest', (request, reply, done) => {
    restoreMethod(request.raw);
    reply.headers(commonHeaders(request));
    requireValidHttp(request.raw);
    // Respond before the body is parsed: the path does not exist, so the body does not matter.
    const isUnknown = request.is404 || hasEmptyParameter(request.params);
    done(isUnknown ? new ApiError('NOT_FOUND') : undefined);
  });
  const logAnswer = answerLog(log);
  const answered = (request: FastifyRequest, reply: FastifyReply) => {
    const { url } = request.routeOptions;
    const status = reply.statusCode;
    traffic.answered(url ?? 'unknown', status);
    const route = url ?? unknownPath(request.url);
    logAnswer({
      requestId: request.id,
      traceId: traceIdOf(request.headers),
      method: request.method,
      route,
      status,
      ms: reply.elapsedTime,
    });
  };
  app.addHook('onResponse', (request, reply, done) => {
    answered(request, reply);
    done();
  });
  closeWhenIdle(app, traffic);
  renderErrors(app, refusalDelay);
  return app;
}

/** Whether a URL such as `/v1/sessions/` names no id where its route has one. What follows a `*` may be empty. */
function hasEmptyParameter(params: unknown): boolean {
  for (const name in params as Record<string, string>)
    if (name !== '*' && (params as Record<string, string>)[name] === '') return true;
  return false;
}

function noCompiler(): never {
  throw new Error('a route has a schema; requests are validated by their own readers');
}

/**
 * Node does not count a connection without a request as idle, so it would delay `close()`. Destroys the remaining connections as soon as
 * no request is in flight, and after eight seconds in any case.
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

/** The path of an unknown URL for the log, without query and credentials. */
function unknownPath(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return scrubbed(decodeURIComponent(path)).slice(0, 200).replace(invisible, encodeURIComponent);
  } catch {
    return '(not decodable)';
  }
}

/** Characters that JSON does not escape and a terminal interprets or hides: control characters, bidirectional marks, line separators. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function commonHeaders(request: FastifyRequest): Record<string, string> {
  return {
    'X-Request-Id': request.id,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
}

/**
 * Answers every other method on an existing path with 405 and an `Allow` header. Call it in the scope of the path's routes, so that the
 * refusal carries their headers.
 */
export function refuseOtherMethods(app: FastifyInstance, url: string, taken: readonly HTTPMethods[]): void {
  const allow = taken.includes('GET') ? [...taken, 'HEAD'] : taken;
  app.route({
    url,
    method: routedMethods.filter((method) => !allow.includes(method)),
    // Respond before the body is parsed: the method is wrong, so the body does not matter.
    onRequest: async () => {
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: allow.join(', ') } });
    },
    handler: async () => undefined,
  });
}
