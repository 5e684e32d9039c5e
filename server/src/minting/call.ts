import type { LaunchableExperience } from '../content/experiences.ts';
import type { LookUpClient } from '../store/cache/look-ups.ts';

/** Who asks for a launch, or whether one is possible. */
export interface Visitor {
  authorization: string | undefined;
  origin: string | undefined;
  /** The sender; mints are counted under its client network. */
  client: LookUpClient;
  /** Called when the requested experience exists and is not of another project than the caller's key. */
  onFound(experience: LaunchableExperience): void;
  /** Called when the experience may be launched at this endpoint: from then on, the CORS headers depend on its allowlist. */
  onExperience(experience: LaunchableExperience): void;
}

/** The parts of a request that the mint pipeline uses. */
export interface Call extends Visitor {
  acceptLanguage: string | undefined;
  rawHeaders: readonly string[];
  /** Reads and checks the body (media type, size, JSON) when called, and not before. */
  body(): Promise<unknown>;
  /** Whether reading the body took so long that the checks before it must be repeated. */
  wasSlow(): boolean;
}
