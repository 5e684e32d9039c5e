import type { JWTVerifyGetKey } from 'jose';
// By its parts: the whole of it takes about twice as long to load.
import * as errors from 'jose/errors';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { jwtVerify } from 'jose/jwt/verify';

/** The claims of a session token. */
export interface SessionClaims {
  /** The public address of the service that minted the session. */
  iss: string;
  aud: 'session-runtime';
  /** The session; `jti` says the same. */
  sub: string;
  jti: string;
  iat: number;
  exp: number;
  projectId: string;
  experienceId: string;
  revision: number;
  livemode: boolean;
  /** The page's, for sessions from browsers. */
  origin?: string;
}

export type SessionTokenErrorCode =
  | 'MALFORMED'
  | 'EXPIRED'
  | 'SIGNATURE'
  | 'AUDIENCE'
  | 'ISSUER'
  | 'ORIGIN'
  | 'USED'
  | 'KEYS_UNAVAILABLE';

/** Why a token is not good. The token itself stands nowhere in it. */
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

/** The service's public keys: kept for 300 s, and asked for again at most every 30 s when a token names an unknown one. */
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

/** With a timer that is held here: Node 20 may forget the signal of a stalled body, which then hangs for ever. */
async function readWhole(fetcher: typeof fetch, url: string, options: RequestInit): Promise<Response> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the keys did not arrive in time')), timeoutMs);
  });
  const read = async () => {
    const response = await fetcher(url, options);
    return new Response(await response.text(), { status: response.status, headers: response.headers });
  };
  const reading = read();
  reading.catch(() => {});
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

export interface TokenChecks {
  issuer?: string;
  clockToleranceSec?: number;
  expired?: 'accept';
}

/** The claims of a token that the keys confirm. */
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
      audience: 'session-runtime',
      clockTolerance: clockToleranceSec,
      requiredClaims: ['iss', 'sub', 'jti', 'iat', 'exp'],
      ...(issuer === undefined ? {} : { issuer }),
    });
    return checkedClaims(payload);
  } catch (error) {
    // Looked at last: signature, issuer and audience were good.
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
