import type { Overview } from '@session-launch/contract/admin/overview';
import type { UsageDay } from '@session-launch/contract/admin/usage';
import { texts } from '../../texts/texts.ts';

export type LimitName = keyof typeof texts.limits.names;
export const limitNames = Object.keys(texts.limits.names) as LimitName[];

export interface Day {
  day: string;
  sessions: number;
  seconds: number;
}

/** Adds up the experiences of each day, newest first. */
export function perDay(rows: readonly UsageDay[]): Day[] {
  const days = new Map<string, Day>();
  for (const { day, sessions, seconds } of rows) {
    const sum = days.get(day) ?? { day, sessions: 0, seconds: 0 };
    days.set(day, { day, sessions: sum.sessions + sessions, seconds: sum.seconds + seconds });
  }
  return [...days.values()].sort((a, b) => b.day.localeCompare(a.day));
}

/** What was used of a limit, and how many requests it refused in the last 7 days; absent where the service does not count that. */
export interface Use {
  used: string;
  refused?: string;
}

/** The use of each limit: exact for days, from the counters of the last hour for minutes, and of this moment for concurrent sessions. */
export function limitUse(days: readonly Day[], hour: Overview, week: Overview): Record<LimitName, Use> {
  const { limits } = texts;
  const busiestDay = Math.max(0, ...days.map(({ sessions }) => sessions));
  const busiestMinute = Math.max(0, ...hour.points.map(({ mints }) => mints));
  const refusedBy = (name: LimitName) =>
    week.refusals
      .filter(({ fix }) => fix?.kind === 'raise-limit' && fix.limit === name)
      .reduce((sum, { count }) => sum + count, 0)
      .toLocaleString('en');
  return {
    mintsPerMinutePerClient: { used: limits.notCounted, refused: refusedBy('mintsPerMinutePerClient') },
    mintsPerMinute: { used: limits.busiestMinute(busiestMinute), refused: refusedBy('mintsPerMinute') },
    sessionsPerDay: {
      used: limits.busiestDay(busiestDay, hour.quota?.used),
      refused: refusedBy('sessionsPerDay'),
    },
    concurrentSessions: { used: limits.activeNow(hour.active) },
    concurrentSessionsPerClient: { used: limits.notCounted },
  };
}
