import type { Launch, SessionFacts, SessionManifest } from '../types.ts';
import { manifestVersion } from '../wire.ts';
import { ExperienceError } from './experience-error.ts';
import { fits, nonEmptyText, type Shape } from './shape.ts';

/** A manifest and the time until which the SDK connects with it. */
export interface Launched {
  manifest: SessionManifest;
  /** On the monotonic clock of `now()`, so that a wrong system clock has no effect. */
  deadline: number;
}

/** Share of the token's lifetime within which to connect. The rest covers network delays. */
const safeShare = 0.8;

/** The required fields of a manifest. */
const shape: Shape = {
  sessionId: nonEmptyText,
  sessionToken: nonEmptyText,
  transport: { type: nonEmptyText },
  characters: Array.isArray,
  capabilities: Array.isArray,
};

/** Returns the manifest of a launch. Throws an ExperienceError if it is not valid. */
export function readLaunch(launch: Launch, now: number): Launched {
  const manifest =
    (launch as { launch?: SessionManifest } | undefined)?.launch ?? (launch as SessionManifest);
  const { schemaVersion } = manifest ?? {};
  if (typeof schemaVersion === 'number' && schemaVersion !== manifestVersion)
    throw new ExperienceError(
      'UNSUPPORTED_SCHEMA',
      `The manifest has version ${schemaVersion}; this SDK reads version ${manifestVersion}.`,
      { hint: 'Update @session-launch/browser.' },
    );
  if (schemaVersion !== manifestVersion || !fits(manifest, shape))
    throw new ExperienceError('INVALID_MANIFEST', 'The response to the mint is not a manifest.');
  return { manifest, deadline: now + safeShare * lifeOf(manifest.sessionToken) };
}

/** URL of the service that minted the session, from the manifest's leave link. */
export function originOf({ links }: SessionManifest): string | undefined {
  return links?.leave?.replace(/\/v1\/sessions\/.*$/, '');
}

/** The public facts of a session. They do not contain the token. */
export function factsOf(manifest: SessionManifest): SessionFacts {
  const { sessionId, locale, secondaryLocale, livemode, capabilities, characters } = manifest;
  return {
    sessionId,
    locale,
    livemode,
    capabilities: [...capabilities],
    characters: characters.map(({ characterId, name }) => ({ characterId, name })),
    ...(secondaryLocale && { secondaryLocale }),
  };
}

/** Milliseconds from `iat` to `exp`. Infinity for tokens that are not JWTs: the runtime decides about their expiry. */
function lifeOf(token: string): number {
  let life = 0;
  try {
    const { exp, iat } = JSON.parse(atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')));
    life = (exp - iat) * 1000;
  } catch {
    // Not a JWT.
  }
  return life > 0 ? life : Infinity;
}
