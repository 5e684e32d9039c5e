import type { LaunchableExperience } from '../content/experiences.ts';
import type { Client } from '../limits/client-address.ts';

/** The parts of a request that the mint pipeline uses. */
export interface Call {
  authorization: string | undefined;
  origin: string | undefined;
  acceptLanguage: string | undefined;
  rawHeaders: readonly string[];
  /** The sender; mints are counted under its client network. */
  client: Client;
  /** Reads and checks the body (media type, size, JSON) when called, and not before. */
  body(): Promise<unknown>;
  /** Whether reading the body took so long that the checks before it must be repeated. */
  wasSlow(): boolean;
  /** Called when the requested experience exists and is not of another project than the caller's key. */
  onFound(experience: LaunchableExperience): void;
  /** Called when the experience may be launched at this endpoint: from then on, the CORS headers depend on its allowlist. */
  onExperience(experience: LaunchableExperience): void;
}
