import { createHash, timingSafeEqual } from 'node:crypto';
import { livekitIdentity } from '@session-launch/contract/transports/livekit';
import { jwtVerify } from 'jose';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { LivekitKeys } from '../transports/livekit-token.ts';

/** Seconds that the clocks of LiveKit and this process may differ. */
const clockToleranceSeconds = 10;

/** Verifies the token of a webhook and returns the hash of the body that it was signed for. */
export async function signedHash(
  { apiKey, apiSecret }: LivekitKeys,
  authorization: string | undefined,
): Promise<Buffer> {
  try {
    const { payload } = await jwtVerify(
      (authorization ?? '').replace(/^Bearer /, ''),
      new TextEncoder().encode(apiSecret),
      {
        issuer: apiKey,
        algorithms: ['HS256'],
        requiredClaims: ['exp', 'sha256'],
        clockTolerance: clockToleranceSeconds,
      },
    );
    return Buffer.from(String(payload.sha256), 'base64');
  } catch (error) {
    throw new ApiError('LIVEKIT_SIGNATURE_INVALID', { cause: error });
  }
}

/** What a webhook says about the client of a session; `undefined` for everything else, such as agents and tracks. */
export interface RoomEvent {
  sessionId: string;
  what: 'joined' | 'left';
}

const meanings: Record<string, RoomEvent['what']> = {
  participant_joined: 'joined',
  participant_left: 'left',
  participant_connection_aborted: 'left',
  room_finished: 'left',
};

/** Reads the body of a webhook. Throws if its hash is not the signed one. */
export function readEvent(body: Buffer, hash: Buffer): RoomEvent | undefined {
  const actual = createHash('sha256').update(body).digest();
  if (hash.length !== actual.length || !timingSafeEqual(hash, actual))
    throw new ApiError('LIVEKIT_SIGNATURE_INVALID', { message: 'The body does not have the signed hash.' });
  const { event, room, participant } = Object(parsed(body)) as Record<string, unknown>;
  const what = meanings[String(event)];
  const name = Object(room).name as unknown;
  if (what === undefined || typeof name !== 'string' || !isId('ses', name)) return undefined;
  if (event !== 'room_finished' && Object(participant).identity !== livekitIdentity(name)) return undefined;
  return { sessionId: name, what };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ApiError('INVALID_JSON', { message: 'The request body is not valid JSON.' });
  }
}
