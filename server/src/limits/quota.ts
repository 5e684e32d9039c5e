import { isoTime } from '../primitives/iso-time.ts';
import type { Budget } from './headers.ts';

const secondsPerDay = 86_400;

/** The UTC day whose quota a mint counts against. */
export function quotaDay(at: Date): string {
  return isoTime(at).slice(0, 10);
}

export function dayBudget(limit: number, used: number, at: Date): Budget {
  return {
    policy: 'day',
    limit,
    windowSeconds: secondsPerDay,
    remaining: Math.max(limit - used, 0),
    resetSeconds: secondsUntilTomorrow(at),
  };
}

/** Whole seconds until the next UTC day begins. */
export function secondsUntilTomorrow(at: Date): number {
  const secondOfDay = Math.floor(at.getTime() / 1000) % secondsPerDay;
  return secondsPerDay - secondOfDay;
}
