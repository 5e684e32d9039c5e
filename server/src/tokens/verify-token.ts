import { timingSafeEqual } from 'node:crypto';
import { type SessionClaims, tokenAudience } from '@session-launch/contract/verification';
import { ApiError } from '../primitives/errors.ts';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

/**
 * Verifies session tokens of this service: signature, audience, session id and expiry.
 *
 * A token is valid if this service would sign the same one: Ed25519 is deterministic, and signing takes a third of the time of verifying.
 */
export class TokenVerifier {
  /** By the encoded header of their tokens. */
  readonly #keys: Map<string, SigningKey>;

  constructor(keys: SigningKeys) {
    this.#keys = new Map(
      keys.all.map((key) => [Buffer.from(key.material.header).toString('base64url'), key]),
    );
  }

  /** Returns the claims of the session's token. Rejects an expired token unless told otherwise. */
  verify(token: string, sessionId: string, expiry?: 'even expired'): SessionClaims {
    const claims = this.#claimsOf(token);
    const isOfSession = claims?.aud === tokenAudience && claims.sub === sessionId;
    if (!isOfSession || (expiry !== 'even expired' && !(claims.exp * 1000 > Date.now())))
      throw new ApiError('SESSION_TOKEN_INVALID');
    return claims;
  }

  #claimsOf(token: string): SessionClaims | undefined {
    const [header = '', body = ''] = token.split('.', 2);
    const key = this.#keys.get(header);
    if (key === undefined) return undefined;
    const payload = Buffer.from(body, 'base64url').toString();
    // Compared in constant time, because `signed` is the signature that a forger lacks.
    const [signed, received] = [Buffer.from(key.sign(payload)), Buffer.from(token)];
    if (signed.length !== received.length || !timingSafeEqual(signed, received)) return undefined;
    return JSON.parse(payload) as SessionClaims;
  }
}
