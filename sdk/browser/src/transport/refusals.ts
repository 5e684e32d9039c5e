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
  4409: ['SESSION_USED', 'The launch was used already.'],
  4431: ['CONCURRENCY_LIMIT', 'Too many sessions at once.'],
};

/** The error for a runtime that closed the connection with `closeCode` before it was ready. */
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

/** Whether to try again with the same token: these codes do not mean that the runtime refused it. */
export function isWorthAnotherTry(code: number): boolean {
  return [1001, 1006, 1011, fullCode, 4408].includes(code);
}

/**
 * Whether a session that had begun is over. Codes for a malformed message (4400), a late hello (4408) and too many messages
 * (4429) close the connection only.
 */
export function isFinal(code: number): boolean {
  return code > 4400 && code < 4500 && code !== 4408 && code !== 4429;
}
