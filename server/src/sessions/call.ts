import type { LaunchableExperience } from '../experiences/store.ts';
import type { Client } from '../limits/client-address.ts';

/** What a request brings to a door. */
export interface Call {
  authorization: string | undefined;
  origin: string | undefined;
  acceptLanguage: string | undefined;
  rawHeaders: readonly string[];
  /** Who sent it: a mint is counted under their network. */
  client: Client;
  /** Media type, size and JSON are checked when it is called, and not before. */
  body(): Promise<unknown>;
  /** Whether the body took so long that what was checked before it may not hold any more. */
  wasSlow(): boolean;
  /** Told once the experience is known: from then on CORS follows its own allowlist. */
  onExperience(experience: LaunchableExperience): void;
}
