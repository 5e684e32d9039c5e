import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type SessionClaims, tokenAudience } from '@session-launch/contract/verification';
import type { JWK } from 'jose';
// Imports from subpaths: the index of jose also loads encryption, which would slow every start.
import { JWKSNoMatchingKey, JWTClaimValidationFailed } from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { ApiError } from '../primitives/errors.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Verifies session tokens of this service: signature, audience, session id and expiry. */
export class TokenVerifier {
  readonly #keys: Map<string, KeyObject>;

  constructor(keys: SigningKeys) {
    const imported = (jwk: JWK) => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    this.#keys = new Map(keys.all.map(({ kid, publicJwk }) => [kid, imported(publicJwk)]));
  }

  /** Returns the claims of the session's token. Rejects an expired token unless told otherwise. */
  async verify(token: string, sessionId: string, expiry?: 'even expired'): Promise<SessionClaims> {
    try {
      const { payload } = await jwtVerify<SessionClaims>(
        token,
        ({ kid = '' }) => {
          const key = this.#keys.get(kid);
          if (key === undefined) throw new JWKSNoMatchingKey();
          return key;
        },
        {
          algorithms: ['EdDSA'],
          audience: tokenAudience,
          requiredClaims: ['sub', 'exp'],
          ...(expiry === 'even expired' ? { currentDate: new Date(0) } : {}),
        },
      );
      if (payload.sub !== sessionId) throw new JWTClaimValidationFailed('another session', payload, 'sub');
      return payload;
    } catch (cause) {
      throw new ApiError('SESSION_TOKEN_INVALID', { cause });
    }
  }
}
