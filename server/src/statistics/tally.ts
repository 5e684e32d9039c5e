import type { Source } from '@session-launch/contract/session';

/** Maximum combinations of endpoint, code, experience and origin that are counted with their origin, per project and minute or longer interval. */
export const maxNamed = 50;

/**
 * Maximum combinations of endpoint, code and experience that are counted without an origin of their own, per project and minute or longer
 * interval. Refusals of further ones are counted without their experience.
 */
export const maxCauses = 200;

/** Stands for the origins of all further combinations. */
export const otherOrigins = 'others';

/** One counter. */
export interface Tally {
  projectId: string;
  /** When its minute began, in milliseconds. */
  minute: number;
  endpoint: Source;
  /** `launched`, `replayed`, or the error code of a refusal; for a rate limit with the policy, such as `RATE_LIMITED.client`. */
  code: string;
  /** Empty for launches and replays, and beyond `maxCauses`. */
  experienceId: string;
  /** Empty for the server endpoint, and for launches and replays. */
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
