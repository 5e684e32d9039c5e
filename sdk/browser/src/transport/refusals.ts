import { ExperienceError, expired } from '../core/experience-error.ts';
import type { ClientCode, ServiceCode } from '../types.ts';
import * as wire from '../wire.ts';

const failed = 'CONNECT_FAILED';
const refusals: Record<number, [code: ClientCode | ServiceCode, message: string, hint?: string]> = {
  [wire.closeCodeFull]: [failed, 'The service is busy.', 'See RUNTIME_MAX_SESSIONS.'],
  [wire.closeCodeOriginDiffers]: [
    failed,
    'The launch was minted for another origin.',
    'Mint on the page that connects, or in its relay.',
  ],
  [wire.closeCodeTokenUsed]: ['SESSION_USED', 'The launch was already used.'],
  [wire.closeCodeTooManySessions]: ['CONCURRENCY_LIMIT', 'Too many sessions at once.'],
};

/** The error for a connection that the runtime closed with `closeCode` before it sent `ready`. */
export function refusalOf(closeCode: number, reason: string): ExperienceError {
  if (closeCode === wire.closeCodeTokenInvalid || closeCode === wire.closeCodeSessionEnded) return expired();
  const [code, message, hint] = refusals[closeCode] ?? [
    failed,
    `The runtime closed the connection (${closeCode} ${reason}).`,
  ];
  return new ExperienceError(code, message, {
    retryable: code !== 'SESSION_USED',
    hint,
    details: { closeCode },
  });
}

/** Whether to retry with the same token: with these codes the runtime did not reject it. */
export function isWorthAnotherTry(code: number): boolean {
  return [
    wire.closeCodeDraining,
    1006,
    wire.closeCodeFault,
    wire.closeCodeFull,
    wire.closeCodeNoHello,
  ].includes(code);
}

/**
 * Whether the close code ends a session that was ready. The codes for a malformed message, a late hello and too many messages end
 * only the connection, and the client reconnects.
 */
export function isFinal(code: number): boolean {
  const isOfRuntime = code > wire.closeCodeNotTheProtocol && code < 4500;
  return isOfRuntime && code !== wire.closeCodeNoHello && code !== wire.closeCodeTooFast;
}
