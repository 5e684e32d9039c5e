import { type LivekitAccess, livekitIdentity } from '@session-launch/contract/transports/livekit';
import { SignJWT } from 'jose';

/** LIVEKIT_API_KEY and LIVEKIT_API_SECRET. */
export interface LivekitKeys {
  apiKey: string;
  apiSecret: string;
}

interface Claims {
  sub?: string;
  /** Seconds since 1970. */
  nbf: number;
  exp: number;
  video: Record<string, unknown>;
  roomConfig?: Record<string, unknown>;
}

/** Signs claims as LiveKit's SDKs do. HMAC is deterministic: equal claims and keys give equal bytes. */
export function signLivekit({ apiKey, apiSecret }: LivekitKeys, claims: Claims): Promise<string> {
  return new SignJWT({ iss: apiKey, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(apiSecret));
}

interface Joining {
  sessionId: string;
  /** When the session was minted and until when a client may join, in seconds since 1970. */
  issuedAt: number;
  expiresAt: number;
  agentName: string | undefined;
}

/**
 * The room of a session, which has its id as the name, and the token with which its client joins it. All times are stored ones, so that a
 * replay has the same bytes. The agent is dispatched when the room is created; one without a name is the one that LiveKit dispatches to
 * every room.
 */
export async function livekitAccess(
  keys: LivekitKeys,
  { sessionId, issuedAt, expiresAt, agentName = '' }: Joining,
): Promise<LivekitAccess> {
  const token = await signLivekit(keys, {
    sub: livekitIdentity(sessionId),
    nbf: issuedAt,
    exp: expiresAt,
    video: { room: sessionId, roomJoin: true },
    roomConfig: { agents: [{ agentName, metadata: JSON.stringify({ sessionId }) }] },
  });
  return { token, roomName: sessionId };
}
