import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@session-launch/contract/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { isCollision, isOutage } from '../store/database-errors.ts';
import { unfinishedAnswers } from './in-flight.ts';

/** Resolves when it is the turn of a request's refusal. Nothing when that is now. */
export type Turn = (request: FastifyRequest) => Promise<void> | undefined;

/**
 * The one place where an error becomes an answer. The cause is logged and never sent. Strangers are answered in their
 * turn, and keep no place meanwhile.
 */
export function renderErrors(app: FastifyInstance, turn: Turn = () => undefined): void {
  app.setErrorHandler((error: FastifyError | ApiError | Error, request, reply) => {
    const known = toApiError(error);
    const waiting = known.toStranger ? turn(request) : undefined;
    if (waiting !== undefined) return waiting.then(() => sendError(request, reply, known));
    // A refusal without a cause has a line of its own when it is answered.
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

/** What the framework refuses by itself, in the service's own words. */
const frameworkErrors: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'INVALID_JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'INVALID_JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_REQUEST',
};

/** The error as the caller meets it. */
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
    message: 'The request expects something that this service does not do.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'INVALID_REQUEST',
    message: 'The request was not received in time.',
  },
};

/** Connections on which something was refused: every further byte is an error again. */
const refused = new WeakSet<Socket>();

/**
 * Requests that the HTTP parser itself refuses never reach a route: the same envelope, written by hand. What was asked
 * before on the same connection is answered first, and an answer that has begun is not written into. Tells what was
 * answered; nothing, when nobody could be told.
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
  // The other side may never close its half, and must not go on with the request that was just refused.
  socket.removeAllListeners('data');
  socket.destroySoon();
  return { requestId: refusing.requestId, status: refusing.status };
}

/** A request with an `Expect` that nobody here can meet is refused in its turn. Tells what was answered. */
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

/** As it travels. */
function written({ status, reason, headers, body }: Refusal): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${status} ${reason}`, ...lines].join('\r\n')}\r\n\r\n${body}`;
}
