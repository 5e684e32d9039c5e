import type { Clock } from '../clock.ts';
import { originDiffers, tokenInvalid } from '../refusals.ts';

/** The claims of a session token. */
interface TokenClaims {
  sessionId: string;
  /** Absent if the session was minted with an API key. */
  origin?: string;
}

/** Validates the token of a client with this `Origin`. Throws a refusal if it is invalid or was issued for another origin. */
export type TokenReader = (token: string, origin: string | undefined) => Promise<TokenClaims>;

export interface TokenSource {
  /** The public URL of the service, as in the `iss` claim of its tokens. */
  issuer: string;
  /** URL of the service's JSON Web Key Set. */
  jwksUrl: string;
}

export interface TokenReaderDeps {
  source: TokenSource | undefined;
  clock: Pick<Clock, 'now'>;
  keysUnavailable(): void;
}

/**
 * Verifies tokens with the keys of the service, so that forged ones cause no request to it. Without a source, or while the keys are
 * unavailable, only the claims are parsed: the service verifies each token again when the session is connected.
 */
export function tokenReader({ source, clock, keysUnavailable }: TokenReaderDeps): TokenReader {
  if (source === undefined) return async (token, origin) => claimsFor(readClaims(token), origin);
  const verifying = loadVerifier(source);
  // Prevents an unhandled rejection; the first token read gets the error.
  verifying.catch(() => {});
  let keysUnavailableUntil = Number.NEGATIVE_INFINITY;
  return async (token, origin) => {
    const verify = await verifying;
    if (clock.now() < keysUnavailableUntil) return claimsFor(readClaims(token), origin);
    try {
      const { sub: sessionId, origin: own } = await verify(token, { origin });
      return { sessionId, ...(own === undefined ? {} : { origin: own }) };
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === 'ORIGIN') throw originDiffers();
      if (code === 'KEYS_UNAVAILABLE') {
        // Skips the keys for `pauseMs`, so that later clients do not wait for the same timeout.
        keysUnavailableUntil = clock.now() + pauseMs;
        keysUnavailable();
      } else if (code !== 'ISSUER') throw tokenInvalid();
      // The token of a replayed session has the issuer at the time of its mint, so the service decides.
      return claimsFor(readClaims(token), origin);
    }
  };
}

/** Milliseconds until the keys are requested again after a failure. */
const pauseMs = 30_000;
/** Tolerated clock difference between service and runtime, in seconds. The service decides whether a token has expired. */
const clockToleranceSec = 60;

/** Imported lazily, so that it does not delay the start. */
async function loadVerifier(source: TokenSource) {
  const { sessionTokenVerifier } = await import('@session-launch/backend/verify');
  return sessionTokenVerifier({ ...source, clockToleranceSec });
}

function claimsFor(claims: TokenClaims | undefined, origin: string | undefined): TokenClaims {
  if (claims === undefined) throw tokenInvalid();
  if (claims.origin !== undefined && claims.origin !== origin) throw originDiffers();
  return claims;
}

function readClaims(token: string): TokenClaims | undefined {
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      sub?: unknown;
      origin?: unknown;
    };
    if (typeof payload.sub !== 'string' || payload.sub === '') return undefined;
    const { sub: sessionId, origin } = payload;
    return { sessionId, ...(typeof origin === 'string' ? { origin } : {}) };
  } catch {
    return undefined;
  }
}
