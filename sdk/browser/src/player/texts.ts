import { isFull } from '../core/experience-error.ts';
import type { ExperienceError, MicStatus, TextKey } from '../types.ts';

/** Text keys for problems with the microphone. */
export const micTexts: Partial<Record<MicStatus, TextKey>> = {
  denied: 'micDenied',
  missing: 'micMissing',
  busy: 'micBusy',
  'blocked-by-policy': 'micBlocked',
  insecure: 'micInsecure',
};

/** Key of the text that visitors see for an error. Its details are only logged. */
export function textOfError(error: ExperienceError): TextKey {
  return isFull(error) ? 'busy' : textOfCode(error.code);
}

export function textOfCode(code: ExperienceError['code']): TextKey {
  if (code === 'NETWORK' || code === 'TIMEOUT') return 'offline';
  if (code === 'CONNECTION_LOST') return 'lost';
  if (code === 'SESSION_EXPIRED' || code === 'SESSION_USED') return 'expired';
  return ['RATE_LIMITED', 'QUOTA_EXCEEDED', 'CONCURRENCY_LIMIT', 'UNAVAILABLE'].includes(code)
    ? 'busy'
    : 'failed';
}
