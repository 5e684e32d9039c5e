import type { ServiceCode } from '../contract.ts';

export type ClientCode =
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'RELAY_FAILED'
  | 'INVALID_MANIFEST'
  | 'UNSUPPORTED_SCHEMA'
  | 'UNSUPPORTED_TRANSPORT'
  | 'SESSION_EXPIRED'
  | 'SESSION_USED'
  | 'CONNECT_FAILED'
  | 'CONNECTION_LOST'
  | 'MIC_UNAVAILABLE'
  | 'AUDIO_BLOCKED'
  | 'RENDERER_FAILED'
  | 'RUNTIME'
  | 'NOT_A_BROWSER';

export interface ExperienceError extends Error {
  readonly code: ServiceCode | ClientCode;
  /** Whether the error ended the session or the attempt to start one. */
  readonly fatal: boolean;
  /** Whether another start may succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
  readonly requestId?: string;
  readonly details?: unknown;
  /** Advice for developers; not shown to visitors. */
  readonly hint?: string;
}
