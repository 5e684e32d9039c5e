import type { TokenSigner } from './signer.ts';
import type { Session } from './store.ts';

const audience = 'session-runtime';

/**
 * The session token of a session row. Ed25519 is deterministic: the same row and key give the same bytes, so
 * a replay needs no stored token. A key that has left the key set is replaced by the current one.
 */
export function signSessionToken(signer: TokenSigner, session: Session): string | Promise<string> {
  const key = signer.keys.find(session.tokenKeyId) ?? signer.keys.current;
  return signer.sign(key, claims(session));
}

/** As JSON. What ids, numbers and truth values are made of needs no escape. */
function claims(session: Session): string {
  const { id, origin } = session;
  return (
    `{"iss":${JSON.stringify(session.tokenIssuer)},"aud":"${audience}","sub":"${id}","jti":"${id}",` +
    `"iat":${session.tokenIssuedAt},"exp":${session.tokenExpiresAt},"projectId":"${session.projectId}",` +
    `"experienceId":"${session.experienceId}","revision":${session.revision},"livemode":${session.livemode}` +
    `${origin === null ? '' : `,"origin":${JSON.stringify(origin)}`}}`
  );
}
