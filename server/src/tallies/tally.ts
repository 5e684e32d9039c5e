import type { Source } from '@session-launch/contract/session';

/** Stands for all further origins of a minute. */
export const otherOrigins = 'others';

/** One counter. */
export interface Tally {
  projectId: string;
  /** When its minute began, in milliseconds. */
  minute: number;
  door: Source;
  /** `launched`, `replayed`, or the error code of a refusal; for a rate limit with the policy, such as `RATE_LIMITED.client`. */
  code: string;
  experienceId: string;
  /** Empty for the server door. */
  origin: string;
  count: number;
  lastAt: number;
}

/** The durations of the launches and replays of a project in one minute, by bucket. */
export interface Durations {
  projectId: string;
  minute: number;
  counts: Uint32Array;
}
