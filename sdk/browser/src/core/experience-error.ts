import type { ClientCode, ServiceCode, ExperienceError as Shape } from '../types.ts';

type Fact = Exclude<keyof Shape, 'name' | 'message' | 'stack' | 'code'>;
/** What is undefined is left out. */
type Facts = { [K in Fact]?: Shape[K] | undefined };

/** What goes wrong, for programs to decide by its code. */
export class ExperienceError extends Error implements Shape {
  override readonly name = 'ExperienceError';
  readonly code: ServiceCode | ClientCode;
  readonly fatal: boolean;
  readonly retryable: boolean;
  declare readonly retryAfterMs?: number;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly details?: unknown;
  declare readonly hint?: string;

  constructor(code: ServiceCode | ClientCode, message: string, facts: Facts = {}) {
    const { cause, fatal = true, retryable = false, ...rest } = facts;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.fatal = fatal;
    this.retryable = retryable;
    for (const [field, value] of Object.entries(rest))
      if (value !== undefined) Object.assign(this, { [field]: value });
  }
}

/** The runtime closes with it when it is full, before it looks at the token. */
export const fullCode = 1013;

export const isFull = ({ details }: Shape) => Object(details).closeCode === fullCode;

export const expired = () =>
  new ExperienceError('SESSION_EXPIRED', 'The launch is too old to be connected with.', { retryable: true });

export const aborted = () => new ExperienceError('ABORTED', 'It was ended before it had begun.');
