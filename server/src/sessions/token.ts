import type { SigningKey, SigningKeys } from './signing-keys.ts';
import type { Session } from './store.ts';

const audience = 'session-runtime';
const headers = new WeakMap<SigningKey, string>();

/**
 * The session token of a session row. Ed25519 is deterministic: the same row and key give the same bytes, so
 * a replay needs no stored token. A key that has left the key set is replaced by the current one.
 */
export function signSessionToken(keys: SigningKeys, session: Session): string | Promise<string> {
  const key = keys.find(session.tokenKeyId) ?? keys.current;
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
    ...(session.origin === null ? {} : { origin: session.origin }),
  };
  const signed = `${header(key)}.${base64url(claims)}`;
  const signature = key.sign(signed);
  return signature instanceof Promise
    ? signature.then((bytes) => compact(signed, bytes))
    : compact(signed, signature);
}

function compact(signed: string, signature: Buffer): string {
  return `${signed}.${signature.toString('base64url')}`;
}

function header(key: SigningKey): string {
  let made = headers.get(key);
  if (made === undefined) {
    made = base64url({ alg: 'EdDSA', typ: 'JWT', kid: key.kid });
    headers.set(key, made);
  }
  return made;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
