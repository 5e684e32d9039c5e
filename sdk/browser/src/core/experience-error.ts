import type { ClientCode, ServiceCode, ExperienceError as Shape } from '../types.ts';
import { closeCodeFault, closeCodeFull } from '../wire.ts';

type Fact = Exclude<keyof Shape, 'name' | 'message' | 'stack' | 'code'>;
/** Undefined fields are omitted from the error. */
type Facts = { [K in Fact]?: Shape[K] | undefined };

/** An error of an experience. Distinguish errors by `code`. */
export class ExperienceError extends Error implements Shape {
  override readonly name = 'ExperienceError';
  declare readonly code: ServiceCode | ClientCode;
  declare readonly fatal: boolean;
  declare readonly retryable: boolean;
  declare readonly retryAfterMs?: number;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly details?: unknown;
  declare readonly hint?: string;

  constructor(code: ServiceCode | ClientCode, message: string, { cause, ...facts }: Facts = {}) {
    super(message, { cause });
    const all = Object.entries({ code, fatal: true, retryable: false, ...facts });
    for (const [name, value] of all) if (value !== undefined) Object.assign(this, { [name]: value });
  }
}

/** Whether the runtime is at its session limit. It then closes the connection before it validates the token. */
export const isFull = ({ details }: Shape) => Object(details).closeCode === closeCodeFull;

export const expired = () =>
  new ExperienceError('SESSION_EXPIRED', 'The launch has expired.', { retryable: true });

export const aborted = () => new ExperienceError('ABORTED', 'The session was ended before it was live.');

/** The error of a session that the transport closed; undefined if the runtime ended it in order. */
export function closeErrorOf(by: 'runtime' | 'error', code?: number): ExperienceError | undefined {
  if (by === 'error')
    return new ExperienceError('CONNECTION_LOST', 'The connection was lost.', { retryable: true });
  if (code === closeCodeFault)
    return new ExperienceError('RUNTIME', 'The runtime ended the session.', { retryable: true });
  return undefined;
}

/** Returns an ExperienceError as it is. Other errors become CONNECT_FAILED. */
export function toExperienceError(error: unknown): ExperienceError {
  if (error instanceof ExperienceError) return error;
  return new ExperienceError('CONNECT_FAILED', 'The session was not connected.', {
    cause: error,
    retryable: true,
    hint: String(error),
  });
}

/** Code, message, hint and request id of an error in one line. */
export function describe({ code, message, hint, requestId }: ExperienceError): string {
  return [`${code}: ${message}`, hint, requestId && `(request ${requestId})`].filter(Boolean).join(' ');
}
