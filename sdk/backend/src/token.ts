import type { JWTVerifyGetKey } from 'jose';
// Imported by submodule: the whole package takes about twice as long to load.
import * as errors from 'jose/errors';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { jwtVerify } from 'jose/jwt/verify';
import { type SessionClaims, tokenAudience } from './contract.ts';
import { withTimeout } from './timeout.ts';

export type SessionTokenErrorCode =
  | 'MALFORMED'
  | 'EXPIRED'
  | 'SIGNATURE'
  | 'AUDIENCE'
  | 'ISSUER'
  | 'ORIGIN'
  | 'USED'
  | 'KEYS_UNAVAILABLE';

/** The reason why a token is not valid. Does not contain the token. */
export class SessionTokenError extends Error {
  readonly code: SessionTokenErrorCode;

  static {
    SessionTokenError.prototype.name = 'SessionTokenError';
  }

  constructor(code: SessionTokenErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const timeoutMs = 10_000;

/** The service's public keys. Cached for 300 s; a token with an unknown key id triggers a refetch, at most every 30 s. */
export function remoteKeys(
  url: string,
  fetcher: typeof fetch = (...request) => fetch(...request),
): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(url), {
    cacheMaxAge: 300_000,
    cooldownDuration: 30_000,
    timeoutDuration: timeoutMs,
    [customFetch]: (address, options) => readWhole(fetcher, address, options),
  });
}

/** Fetches a URL and reads its body within `timeoutMs`. */
function readWhole(fetcher: typeof fetch, url: string, options: RequestInit): Promise<Response> {
  const read = async () => {
    const response = await fetcher(url, options);
    return new Response(await response.text(), { status: response.status, headers: response.headers });
  };
  return withTimeout(read(), { ms: timeoutMs, late: () => new Error('the keys did not arrive in time') });
}

export interface TokenChecks {
  issuer?: string;
  clockToleranceSec?: number;
  expired?: 'accept';
}

/** Verifies signature and claims of a token and returns the claims. */
export async function verifyToken(
  keys: JWTVerifyGetKey,
  token: string,
  { issuer, clockToleranceSec = 0, expired }: TokenChecks,
): Promise<SessionClaims> {
  if (typeof token !== 'string') throw new SessionTokenError('MALFORMED', 'This is not a session token.');
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['EdDSA'],
      typ: 'JWT',
      audience: tokenAudience,
      clockTolerance: clockToleranceSec,
      requiredClaims: ['iss', 'sub', 'jti', 'iat', 'exp'],
      ...(issuer === undefined ? {} : { issuer }),
    });
    return checkedClaims(payload);
  } catch (error) {
    // jose checks the expiry after signature, issuer and audience, so these are valid here.
    if (error instanceof errors.JWTExpired && expired === 'accept') return checkedClaims(error.payload);
    throw error instanceof SessionTokenError ? error : explained(error);
  }
}

function checkedClaims(payload: object): SessionClaims {
  const claims = payload as SessionClaims;
  const { sub, jti, projectId, experienceId, revision, livemode, origin } = claims;
  const isComplete =
    typeof sub === 'string' &&
    sub === jti &&
    typeof projectId === 'string' &&
    typeof experienceId === 'string' &&
    Number.isInteger(revision) &&
    typeof livemode === 'boolean' &&
    (origin === undefined || typeof origin === 'string');
  if (!isComplete) throw new SessionTokenError('MALFORMED', 'The claims are not those of a session token.');
  return claims;
}

function explained(error: unknown): SessionTokenError {
  if (error instanceof errors.JWTExpired) return new SessionTokenError('EXPIRED', 'The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed && error.reason === 'check_failed') {
    if (error.claim === 'aud')
      return new SessionTokenError('AUDIENCE', 'The token is not meant for a session runtime.');
    if (error.claim === 'iss')
      return new SessionTokenError('ISSUER', 'The token was issued by another service.');
  }
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  )
    return new SessionTokenError('SIGNATURE', 'No key of the service has signed the token.');
  if (
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JOSENotSupported
  )
    return new SessionTokenError('MALFORMED', 'This is not a session token.');
  return new SessionTokenError('KEYS_UNAVAILABLE', 'The keys of the service could not be read.');
}
