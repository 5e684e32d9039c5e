import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@session-launch/contract/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, unavailable } from '../../primitives/errors.ts';
import { newId } from '../../primitives/ids.ts';
import { isCollision, isOutage } from '../../store/database-errors.ts';
import { unfinishedAnswers } from './in-flight.ts';

/** Resolves when a refusal may be sent; `undefined` if that is now. */
export type RefusalDelay = (request: FastifyRequest) => Promise<void> | undefined;

/**
 * The one place where an error becomes a response. The cause is logged and never sent. Refusals of unknown callers are delayed by the
 * pace of their client network, and do not count as in flight while they wait.
 */
export function renderErrors(app: FastifyInstance, delay: RefusalDelay = () => undefined): void {
  app.setErrorHandler((error: FastifyError | ApiError | Error, request, reply) => {
    const known = toApiError(error);
    const waiting = known.toStranger ? delay(request) : undefined;
    if (waiting !== undefined) return waiting.then(() => sendError(request, reply, known));
    // A refusal without a cause is logged when the response is sent.
    if (known.status >= 500 && known.cause !== undefined) {
      const level = known.code === 'INTERNAL' ? 'error' : 'warn';
      request.log[level]({ reqId: request.id, err: error, code: known.code }, 'the request failed');
    }
    return sendError(request, reply, known);
  });
  app.setNotFoundHandler((request, reply) => sendError(request, reply, new ApiError('NOT_FOUND')));
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply {
  return reply
    .code(error.status)
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .send(errorBody(error, request.id));
}

function errorBody(error: ApiError, requestId: string): string {
  return JSON.stringify({
    error: {
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
      requestId,
    },
  });
}

/** Maps errors of the framework to the service's own codes and messages. */
const frameworkErrors: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'INVALID_JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'INVALID_JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_REQUEST',
};

/** The error envelope of the response. */
export function toApiError(error: FastifyError | ApiError | Error): ApiError {
  if (error instanceof ApiError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? frameworkErrors[error.code] : undefined;
  if (code !== undefined) return new ApiError(code, { cause: error });
  if (isOutage(error) || isCollision(error)) return unavailable(error);
  return new ApiError('INTERNAL', { cause: error });
}

const parserErrors: Record<string, { status: string; code: ErrorCode; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'INVALID_REQUEST',
    message: 'The request headers are too large.',
  },
  EXPECTATION: {
    status: '417 Expectation Failed',
    code: 'INVALID_REQUEST',
    message: 'The Expect header of the request is not supported.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'INVALID_REQUEST',
    message: 'The request was not received in time.',
  },
};

/** Connections on which the parser has failed; every further byte raises the error again. */
const refused = new WeakSet<Socket>();

/**
 * Answers requests that the HTTP parser rejects, which never reach a route, with the same error envelope. Earlier requests on the
 * connection are answered first, and a response that has begun is not interrupted. Returns what was sent, or `undefined` if the socket
 * was already closed.
 */
export async function onParserError(
  error: Error & { code?: string },
  socket: Socket,
): Promise<{ requestId: string; status: number } | undefined> {
  if (error.code === 'ECONNRESET') socket.destroy();
  if (refused.has(socket)) return undefined;
  refused.add(socket);
  socket.pause();
  const { own, earlier } = unfinishedAnswers(socket);
  await earlier;
  if (socket.destroyed || !socket.writable || own?.headersSent) {
    socket.destroySoon();
    return undefined;
  }
  const refusing = refusal(error.code);
  socket.end(written(refusing));
  // Destroy the socket: the client might never close its half, and must not continue with the rejected request.
  socket.removeAllListeners('data');
  socket.destroySoon();
  return { requestId: refusing.requestId, status: refusing.status };
}

/** Rejects a request with an unsupported `Expect` header, after earlier requests on the connection. Returns what was sent. */
export function refuseExpectation(response: ServerResponse): { requestId: string; status: number } {
  const { status, requestId, headers, body } = refusal('EXPECTATION');
  response.writeHead(status, headers).end(body);
  return { requestId, status };
}

interface Refusal {
  status: number;
  reason: string;
  requestId: string;
  headers: Record<string, string>;
  body: string;
}

function refusal(parserCode: string | undefined): Refusal {
  const { status, code, message } = parserErrors[parserCode ?? ''] ?? {
    status: '400 Bad Request',
    code: 'INVALID_REQUEST' as const,
    message: 'The request is not valid HTTP.',
  };
  const requestId = newId('req');
  const body = errorBody(new ApiError(code, { message }), requestId);
  return {
    status: Number.parseInt(status, 10),
    reason: status.slice(4),
    requestId,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store, private',
      Connection: 'close',
    },
    body,
  };
}

/** Serialises the response as HTTP/1.1. */
function written({ status, reason, headers, body }: Refusal): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${status} ${reason}`, ...lines].join('\r\n')}\r\n\r\n${body}`;
}
