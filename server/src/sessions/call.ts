import type { LaunchableExperience } from '../experiences/store.ts';

/** What a request brings to a door. */
export interface Call {
  authorization: string | undefined;
  origin: string | undefined;
  acceptLanguage: string | undefined;
  rawHeaders: readonly string[];
  /** The network that a mint is counted under; worked out where that matters. */
  clientNetwork(): string;
  /** Media type, size and JSON are checked when it is called, and not before. */
  body(): Promise<unknown>;
  /** Whether the body took so long that what was checked before it may not hold any more. */
  wasSlow(): boolean;
  /** Told once the experience is known: from then on CORS follows its own allowlist. */
  onExperience(experience: LaunchableExperience): void;
}
