import { ExperienceError, expired, fullCode } from '../core/experience-error.ts';

/** What a runtime that closes before it was ready means. */
export function refusalOf(code: number, reason: string): ExperienceError {
  const failed = (message: string, hint?: string) =>
    new ExperienceError('CONNECT_FAILED', message, {
      retryable: true,
      hint,
      details: { closeCode: code },
    });
  switch (code) {
    case 4401:
    case 4410:
      return expired();
    case 4409:
      return new ExperienceError('SESSION_USED', 'This launch was connected with already.');
    case 4403:
      return failed(
        'The launch was minted for a page of another origin.',
        'A launch for a page must be minted by that page, or by its relay.',
      );
    case 4431:
      return new ExperienceError('CONCURRENCY_LIMIT', 'Too many sessions are running at once.', {
        retryable: true,
      });
    case fullCode:
      return failed('The service is busy.', 'The runtime is full: see RUNTIME_MAX_SESSIONS.');
    default:
      return failed(`The runtime closed the connection (${code}${reason ? ` ${reason}` : ''}).`);
  }
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
