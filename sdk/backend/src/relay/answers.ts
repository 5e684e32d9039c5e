/** What a relay says when it does not launch: the envelope of the service, so that a page needs to know only one. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  details?: unknown;
  /** Of the service's answer, where there was one. */
  requestId?: string | undefined;
  headers?: Record<string, string>;
}

/** Thrown by the checks, rendered once. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Of every answer with a launch or about one: nobody but the page that asked may keep it. */
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

export function notAllowed(allow: string): Refusal {
  return {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'This address does not take that method; see the Allow header.',
    headers: { Allow: allow },
  };
}

export function newRequestId(): string {
  return `req_${crypto.randomUUID().replaceAll('-', '')}`;
}
