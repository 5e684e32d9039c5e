import type { IncomingHttpHeaders } from 'node:http';

/** Version, trace id, parent id and flags; versions after 00 may append further fields. */
const traceparent = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/**
 * The trace id of a request with a valid `traceparent` header (W3C Trace Context, section 3.2), otherwise `undefined`. Node joins
 * repeated headers with a comma, which makes them invalid.
 */
export function traceIdOf({ traceparent: header }: IncomingHttpHeaders): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId, more] = traceparent.exec(header) ?? [];
  return version === '00' && more !== undefined ? undefined : traceId;
}

/** The fields of a log line by which a request is found. */
export function requestFields(request: { id: string; headers: IncomingHttpHeaders }): {
  reqId: string;
  traceId?: string;
} {
  const traceId = traceIdOf(request.headers);
  return { reqId: request.id, ...(traceId === undefined ? {} : { traceId }) };
}
