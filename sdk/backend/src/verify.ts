import { remoteKeys, type SessionClaims, SessionTokenError, verifyToken } from './token.ts';

export { type SessionClaims, SessionTokenError, type SessionTokenErrorCode } from './token.ts';

export interface VerifierOptions {
  /** The public address of the service, as its tokens name it. */
  issuer: string;
  /** Where its public keys stand; below the issuer unless given. */
  jwksUrl?: string;
  /** How far the clocks may differ; 0. */
  clockToleranceSec?: number;
}

export interface TokenContext {
  /** The Origin of whoever brings the token. A token of a browser session is good for its own origin only. */
  origin?: string | undefined;
  /** Remembers the id until then, and says whether it is new. Tells a second use of one token. */
  firstUse?(jti: string, exp: Date): Promise<boolean>;
}

/** For whoever receives session tokens. Throws a SessionTokenError unless the token is good. */
export function sessionTokenVerifier(
  options: VerifierOptions,
): (token: string, context?: TokenContext) => Promise<SessionClaims> {
  const { issuer, clockToleranceSec = 0 } = options;
  const keys = remoteKeys(options.jwksUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`);
  return async (token, context = {}) => {
    const claims = await verifyToken(keys, token, { issuer, clockToleranceSec });
    // Somebody who asks for the check and has no origin is not at the right one.
    if ('origin' in context && claims.origin !== undefined && claims.origin !== context.origin)
      throw new SessionTokenError('ORIGIN', 'The token belongs to a page of another origin.');
    if (context.firstUse && !(await context.firstUse(claims.jti, new Date(claims.exp * 1000))))
      throw new SessionTokenError('USED', 'The token was used before.');
    return claims;
  };
}
