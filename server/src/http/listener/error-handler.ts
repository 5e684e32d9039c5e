import type { ErrorCode } from '@session-launch/contract/errors';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestFields } from '../../observe/trace.ts';
import { ApiError, unavailable } from '../../primitives/errors.ts';
import { isCollision, isOutage, StoreUnavailable } from '../../store/database-errors.ts';

/** Resolves when a refusal may be sent; `undefined` if that is now. */
export type RefusalDelay = (request: FastifyRequest) => Promise<void> | undefined;

/**
 * The one place where an error becomes a response. The cause is logged and never sent. Refusals of unknown callers are delayed by the
 * pace of their client network, and do not count as in flight while they wait.
 */
export function renderErrors(app: FastifyInstance, delay: RefusalDelay = () => undefined): void {
  app.setErrorHandler((error: FastifyError | ApiError | Error, request, reply) => {
    const known = toApiError(error);
    const waiting = known.fromUnknownCaller ? delay(request) : undefined;
    if (waiting !== undefined) return waiting.then(() => sendError(request, reply, known));
    // A refusal without a cause is logged when the response is sent.
    if (known.status >= 500 && known.cause !== undefined) {
      const level = known.code === 'INTERNAL' ? 'error' : 'warn';
      request.log[level]({ ...requestFields(request), err: error, code: known.code }, 'the request failed');
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

export function errorBody(error: ApiError, requestId: string): string {
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
  if (error instanceof StoreUnavailable)
    return unavailable(error.cause, { fromUnknownCaller: error.isNetworkLimit });
  if (isOutage(error) || isCollision(error)) return unavailable(error);
  return new ApiError('INTERNAL', { cause: error });
}
