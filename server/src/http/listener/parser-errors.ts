import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../primitives/errors.ts';
import { newId } from '../../primitives/ids.ts';
import { errorBody } from './error-handler.ts';
import { unfinishedAnswers } from './in-flight.ts';

/** What was sent to a request that never reached a route. */
export interface Refused {
  requestId: string;
  status: number;
}

const parserErrors: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request was not received in time.' },
};
const otherError = { status: 400, message: 'The request is not valid HTTP.' };

/** Connections on which the parser has failed; every further byte raises the error again. */
const failed = new WeakSet<Socket>();

/**
 * Answers requests that the HTTP parser rejects with the error envelope of all routes. Earlier requests on the connection are answered
 * first, and a response that has begun is not interrupted. Returns what was sent, or `undefined` if the socket was already closed.
 */
export async function onParserError(
  error: Error & { code?: string },
  socket: Socket,
): Promise<Refused | undefined> {
  if (error.code === 'ECONNRESET') socket.destroy();
  if (failed.has(socket)) return undefined;
  failed.add(socket);
  socket.pause();
  const { own, earlier } = unfinishedAnswers(socket);
  await earlier;
  if (socket.destroyed || !socket.writable || own?.headersSent) {
    socket.destroySoon();
    return undefined;
  }
  const { status, message } = parserErrors[error.code ?? ''] ?? otherError;
  const { requestId, headers, body } = refusal(message);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Destroy the socket: the client might never close its half, and must not continue with the rejected request.
  socket.removeAllListeners('data');
  socket.destroySoon();
  return { requestId, status };
}

/** Rejects a request with an unsupported `Expect` header, after earlier requests on the connection. Returns what was sent. */
export function refuseExpectation(response: ServerResponse): Refused {
  const { requestId, headers, body } = refusal('The Expect header of the request is not supported.');
  response.writeHead(417, headers).end(body);
  return { requestId, status: 417 };
}

function refusal(message: string): { requestId: string; headers: Record<string, string>; body: string } {
  const requestId = newId('req');
  const body = errorBody(new ApiError('INVALID_REQUEST', { message }), requestId);
  return {
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
