import type { SessionClaims } from './contract.ts';
import { remoteKeys, SessionTokenError, verifyToken } from './token.ts';

export type { SessionClaims } from './contract.ts';
export { SessionTokenError, type SessionTokenErrorCode } from './token.ts';

export interface VerifierOptions {
  /** Public URL of the service, equal to the `iss` claim of its tokens. */
  issuer: string;
  /** URL of the JWKS. Default: `/.well-known/jwks.json` below the issuer. */
  jwksUrl?: string;
  /** Allowed clock difference in seconds. Default: 0. */
  clockToleranceSec?: number;
}

export interface TokenContext {
  /** `Origin` header of the request that carries the token. A token of a browser session is valid for its own origin only. */
  origin?: string | undefined;
  /** Stores the id until `exp` and resolves to false if it was stored before. Detects reuse of a token. */
  firstUse?(jti: string, exp: Date): Promise<boolean>;
}

/** Returns a function that verifies session tokens. It rejects with a SessionTokenError if the token is not valid. */
export function sessionTokenVerifier(
  options: VerifierOptions,
): (token: string, context?: TokenContext) => Promise<SessionClaims> {
  const { clockToleranceSec = 0 } = options;
  // The claim never ends with a slash.
  const issuer = options.issuer.replace(/\/+$/, '');
  const keys = remoteKeys(options.jwksUrl ?? `${issuer}/.well-known/jwks.json`);
  return async (token, context = {}) => {
    const claims = await verifyToken(keys, token, { issuer, clockToleranceSec });
    // `origin: undefined` also requests the check: a request without an Origin header does not match the token's origin.
    if ('origin' in context && claims.origin !== undefined && claims.origin !== context.origin)
      throw new SessionTokenError('ORIGIN', 'The token belongs to a page of another origin.');
    if (context.firstUse && !(await context.firstUse(claims.jti, new Date(claims.exp * 1000))))
      throw new SessionTokenError('USED', 'The token was used before.');
    return claims;
  };
}
