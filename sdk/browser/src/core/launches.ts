import type { MintFields, SessionManifest } from '../types.ts';
import { ExperienceError, expired } from './experience-error.ts';
import { type Launched, readLaunch } from './manifest.ts';
import { type MintDeps, mint } from './mint.ts';
import type { CheckedSource } from './options.ts';

/** Provides the launches of an experience. */
export interface Launches {
  /** Manifest of the `launch` option; available before the start. */
  given?: SessionManifest;
  canMint: boolean;
  /** See `mint` for `late`. */
  next(request: MintFields, signal: AbortSignal, late: (launched: Launched) => void): Promise<Launched>;
  /** Allows another start with the given launch, because the runtime has not consumed its token. */
  reuse?(): void;
}

/** Mints launches, or returns the one of the `launch` option, once. */
export function launchesOf(deps: MintDeps, source: CheckedSource): Launches {
  if (!('launch' in source)) return { canMint: true, next: (...request) => mint(deps, source, ...request) };
  let isUsed = false;
  const createdAt = deps.now();
  const launches: Launches = {
    canMint: false,
    next: async () => {
      if (isUsed) throw new ExperienceError('SESSION_USED', 'A launch starts once.');
      isUsed = true;
      const launched = readLaunch(source.launch, createdAt);
      if (Date.parse(launched.manifest.expiresAt) <= Date.now()) throw expired();
      return launched;
    },
    reuse: () => {
      isUsed = false;
    },
  };
  try {
    launches.given = readLaunch(source.launch, 0).manifest;
  } catch {
    // `next` parses the launch again and rejects with the error.
  }
  return launches;
}
