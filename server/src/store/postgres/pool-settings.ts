import type { Workload } from '../database.ts';
import type { QueryPoolSettings } from './query-pool.ts';

export const poolSettings: Record<Workload, QueryPoolSettings> = {
  // Cached reads are useless after four seconds, so the timeout is shorter.
  everyday: { max: 10, statementTimeout: 3_000 },
  // One write is in flight at a time; it may wait for a lock, but not indefinitely.
  recording: { max: 1, statementTimeout: 15_000 },
  probing: { max: 1, statementTimeout: 2_000 },
  admin: { max: 4, statementTimeout: 10_000 },
};

/** Maximum connections of a process: its pools, the one for notifications, and one to check a slow statement or the server at the start. */
export const connectionsPerProcess =
  Object.values(poolSettings).reduce((total, { max }) => total + max, 0) + 2;
