import type { Launch, SessionManifest } from '../types.ts';
import { ExperienceError } from './experience-error.ts';
import { filledText, fits, type Shape } from './shape.ts';

/** A manifest, when it came, and until when it is safe to connect with it. */
export interface Fresh {
  manifest: SessionManifest;
  /** On the monotonic clock, so that a wrong clock does no harm. */
  deadline: number;
}

const knownSchema = 1;
/** Of the life of a token: the rest is for the way, and for a prompt that waits. */
const safeShare = 0.8;

/** The fields that no session can do without. */
const shape: Shape = {
  sessionId: filledText,
  sessionToken: filledText,
  transport: { type: filledText },
  characters: Array.isArray,
  capabilities: Array.isArray,
};

/** Takes the manifest out of a launch, or says what is wrong with it. */
export function readLaunch(launch: Launch, now: number): Fresh {
  const manifest = (launch as { launch?: SessionManifest }).launch ?? (launch as SessionManifest);
  const { schemaVersion } = manifest ?? {};
  if (typeof schemaVersion === 'number' && schemaVersion !== knownSchema)
    throw new ExperienceError(
      'UNSUPPORTED_SCHEMA',
      `The manifest has version ${schemaVersion}; this SDK reads version ${knownSchema}.`,
      { hint: 'Update @session-launch/browser.' },
    );
  if (schemaVersion !== knownSchema || !fits(manifest, shape))
    throw new ExperienceError('INVALID_MANIFEST', 'The answer to the mint is no manifest.');
  return { manifest, deadline: now + safeShare * lifeOf(manifest.sessionToken) };
}

/** Milliseconds from issue to expiry. A token of another form may be used at any time: its runtime will say. */
function lifeOf(token: string): number {
  let life = 0;
  try {
    const { exp, iat } = JSON.parse(atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')));
    life = (exp - iat) * 1000;
  } catch {
    // Not a JWT.
  }
  return life > 0 ? life : Number.POSITIVE_INFINITY;
}
