import { ExperienceError, expired, fullCode } from '../core/experience-error.ts';
import type { ClientCode, ServiceCode } from '../types.ts';

const failed = 'CONNECT_FAILED';
const refusals: Record<number, [code: ClientCode | ServiceCode, message: string, hint?: string]> = {
  1013: [failed, 'The service is busy.', 'The runtime is full: see RUNTIME_MAX_SESSIONS.'],
  4403: [
    failed,
    'The launch was minted for another origin.',
    'Mint on the page that connects, or in its relay.',
  ],
  4409: ['SESSION_USED', 'The launch was already used.'],
  4431: ['CONCURRENCY_LIMIT', 'Too many sessions at once.'],
};

/** The error for a connection that the runtime closed with `closeCode` before it sent `ready`. */
export function refusalOf(closeCode: number, reason: string): ExperienceError {
  if (closeCode === 4401 || closeCode === 4410) return expired();
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
  return [1001, 1006, 1011, fullCode, 4408].includes(code);
}

/**
 * Whether the close code ends a session that was ready. The codes for a malformed message (4400), a late hello (4408) and too many
 * messages (4429) end only the connection, and the client reconnects.
 */
export function isFinal(code: number): boolean {
  return code > 4400 && code < 4500 && code !== 4408 && code !== 4429;
}
