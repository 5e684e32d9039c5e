import { ExperienceError, expired } from '../core/experience-error.ts';

/** What a runtime that closes before it was ready means. */
export function refusalOf(code: number, reason: string): ExperienceError {
  const failed = (message: string, hint?: string) =>
    new ExperienceError('CONNECT_FAILED', message, { retryable: true, hint });
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
    case 1013:
    case 1001:
      return failed('The runtime has no room for another session.');
    default:
      return failed(`The runtime closed the connection (${code}${reason ? ` ${reason}` : ''}).`);
  }
}

/** Whether another try with the same token can help: nobody has refused it. */
export function isWorthAnotherTry(code: number): boolean {
  return code === 1006 || code === 1001 || code === 1011;
}

/** Whether a session that had begun is over with it. What a client did wrong costs the connection, not the session. */
export function isFinal(code: number): boolean {
  return code > 4400 && code < 4500 && code !== 4429;
}
