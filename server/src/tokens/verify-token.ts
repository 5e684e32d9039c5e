import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type SessionClaims, tokenAudience } from '@session-launch/contract/verification';
import type { JWK } from 'jose';
// Its parts, not its index: that loads encryption and much else, at every start.
import { JWKSNoMatchingKey, JWTClaimValidationFailed } from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { ApiError } from '../errors.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Checks session tokens that this service made: signature, audience, session, and whether their time is over. */
export class TokenVerifier {
  readonly #keys: Map<string, KeyObject>;

  constructor(keys: SigningKeys) {
    const imported = (jwk: JWK) => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    this.#keys = new Map(keys.all.map(({ kid, publicJwk }) => [kid, imported(publicJwk)]));
  }

  /** The claims of the session's token, whose time must not be over unless that is said. */
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
