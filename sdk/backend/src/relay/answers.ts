/** An error response of a relay. It has the service's error envelope, so that pages parse a single format. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  details?: unknown;
  /** Request id of the service's response, if there was one. */
  requestId?: string | undefined;
  headers?: Record<string, string>;
}

/** Thrown by the checks. The handler converts it to a response. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(
    status: number,
    code: string,
    message: string,
    more: Pick<Refusal, 'details' | 'headers'> = {},
  ) {
    super(message);
    this.refusal = { status, code, message, ...more };
  }
}

/** Default headers. Launches contain a token, so neither browsers nor proxies may store responses. */
const notStored = { 'Cache-Control': 'no-store, private', 'X-Content-Type-Options': 'nosniff' };

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: {
      ...notStored,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
      ...headers,
    },
  });
}

export function refuse({ status, code, message, details, requestId, headers }: Refusal): Response {
  const id = requestId ?? newRequestId();
  const error = { code, message, ...(details === undefined ? {} : { details }), requestId: id };
  return answer(status, { error }, { 'X-Request-Id': id, ...headers });
}

export function notAllowed(allow: string): Refused {
  const message = 'This URL does not support the request method; see the Allow header.';
  return new Refused(405, 'METHOD_NOT_ALLOWED', message, { headers: { Allow: allow } });
}

export function newRequestId(): string {
  return `req_${crypto.randomUUID().replaceAll('-', '')}`;
}
