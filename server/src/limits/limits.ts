/** How much browsers may launch of a project, and how much of it may run at a time. `null` is no limit. */
export interface Limits {
  mintsPerMinutePerClient: number | null;
  mintsPerMinute: number | null;
  sessionsPerDay: number | null;
  concurrentSessions: number | null;
  concurrentSessionsPerClient: number | null;
}
