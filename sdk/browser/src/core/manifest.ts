import type { Launch, SessionManifest } from '../types.ts';
import { ExperienceError } from './experience-error.ts';

/** A manifest, when it came, and until when it is safe to connect with it. */
export interface Fresh {
  manifest: SessionManifest;
  /** On the monotonic clock, so that a wrong clock does no harm. */
  deadline: number;
}

const knownSchema = 1;
/** Of the life of a token: the rest is for the way, and for a prompt that waits. */
const safeShare = 0.8;

/** Takes the manifest out of a launch, or says what is wrong with it. */
export function readLaunch(launch: Launch, now: number): Fresh {
  const manifest = (launch as { launch?: SessionManifest }).launch ?? (launch as SessionManifest);
  const { schemaVersion, sessionId, sessionToken, transport, characters, capabilities } = manifest ?? {};
  if (typeof schemaVersion === 'number' && schemaVersion !== knownSchema)
    throw new ExperienceError(
      'UNSUPPORTED_SCHEMA',
      `This manifest has version ${schemaVersion}, and this SDK knows version ${knownSchema}.`,
      { hint: 'Update @session-launch/browser.' },
    );
  const isWhole =
    schemaVersion === knownSchema &&
    [sessionId, sessionToken, transport?.type].every((text) => typeof text === 'string' && text !== '') &&
    Array.isArray(characters) &&
    Array.isArray(capabilities);
  if (!isWhole) throw new ExperienceError('INVALID_MANIFEST', 'The answer to the mint is no manifest.');
  return { manifest, deadline: now + safeShare * lifeOf(sessionToken) };
}

/** Milliseconds from issue to expiry. A token of another form may be used at any time: its runtime will say. */
function lifeOf(token: string): number {
  try {
    const { exp, iat } = JSON.parse(atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/')));
    const life = (exp - iat) * 1000;
    return life > 0 ? life : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
