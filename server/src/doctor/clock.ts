import { type Finding, findingsOf } from './finding.ts';
import type { RunningService } from './running-service.ts';

/** Maximum difference between two clocks: token lifetimes and key expiry are counted in seconds. */
export const clockToleranceMs = 2000;

const { ok, warn, fail } = findingsOf('clock');

export function checkClock(now: Date, service: RunningService | undefined): Finding {
  const year = now.getUTCFullYear();
  if (year < 2025 || year > 2100) {
    return fail(
      `this machine says ${now.toISOString()}`,
      'set its clock (NTP): tokens would be expired or not yet valid',
    );
  }
  const offset = service?.clockOffsetMs;
  if (offset !== undefined && !(Math.abs(offset) < clockToleranceMs)) {
    const seconds = Number.isNaN(offset) ? 'an unknown time' : `${(Math.abs(offset) / 1000).toFixed(1)} s`;
    return warn(`the service and this machine are ${seconds} apart`, 'set both clocks (NTP)');
  }
  return ok(offset === undefined ? now.toISOString() : `${now.toISOString()}, as at the service`);
}
