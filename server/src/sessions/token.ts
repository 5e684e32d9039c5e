import type { TokenSigner } from './signer.ts';
import type { Session } from './store.ts';

const audience = 'session-runtime';

/**
 * The session token of a session row. Ed25519 is deterministic: the same row and key give the same bytes, so
 * a replay needs no stored token. A key that has left the key set is replaced by the current one.
 */
export function signSessionToken(signer: TokenSigner, session: Session): string | Promise<string> {
  const key = signer.keys.find(session.tokenKeyId) ?? signer.keys.current;
  // A field that is undefined has no place in JSON.
  const claims = {
    iss: session.tokenIssuer,
    aud: audience,
    sub: session.id,
    jti: session.id,
    iat: session.tokenIssuedAt,
    exp: session.tokenExpiresAt,
    projectId: session.projectId,
    experienceId: session.experienceId,
    revision: session.revision,
    livemode: session.livemode,
    origin: session.origin ?? undefined,
  };
  return signer.sign(key, JSON.stringify(claims));
}
