/** Limits of a project on browser and public mints and on concurrent sessions. `null` means unlimited. */
export interface Limits {
  mintsPerMinutePerClient: number | null;
  mintsPerMinute: number | null;
  sessionsPerDay: number | null;
  concurrentSessions: number | null;
  concurrentSessionsPerClient: number | null;
}
