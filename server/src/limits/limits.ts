/** How much browsers may launch of a project. `null` is no limit. */
export interface Limits {
  mintsPerMinutePerClient: number | null;
  mintsPerMinute: number | null;
  sessionsPerDay: number | null;
}
