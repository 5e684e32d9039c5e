import type { ClientCode, ServiceCode, ExperienceError as Shape } from '../types.ts';

export type ErrorFacts = Partial<Omit<Shape, 'name' | 'message' | 'stack' | 'code'>> & { cause?: unknown };

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

  constructor(code: ServiceCode | ClientCode, message: string, facts: ErrorFacts = {}) {
    const { cause, fatal = true, retryable = false, ...rest } = facts;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.fatal = fatal;
    this.retryable = retryable;
    for (const [field, value] of Object.entries(rest))
      if (value !== undefined) Object.assign(this, { [field]: value });
  }
}

export const aborted = () => new ExperienceError('ABORTED', 'It was ended before it had begun.');
