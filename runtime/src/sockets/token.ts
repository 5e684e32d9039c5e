import type { Clock } from '../clock.ts';
import { originDiffers, tokenInvalid } from '../refusals.ts';

/** The claims of a session token. */
interface TokenClaims {
  sessionId: string;
  /** Absent where the server door minted the session. */
  origin?: string;
}

/** Reads the token of a client with this `Origin`. Throws a refusal if it is invalid or names another origin. */
export type TokenReader = (token: string, origin: string | undefined) => Promise<TokenClaims>;

export interface TokenSource {
  /** The public address of the service, as its tokens name it. */
  issuer: string;
  /** Where its public keys stand. */
  jwksUrl: string;
}

export interface TokenReaderDeps {
  source: TokenSource | undefined;
  clock: Pick<Clock, 'now'>;
  keysUnavailable(): void;
}

/**
 * Reads tokens as their service signed them, so that what it did not sign costs it no request. It still has the last word, since
 * it alone knows whether a token is used: where its keys cannot be read, or nobody said whose they are, it is asked at once.
 */
export function tokenReader({ source, clock, keysUnavailable }: TokenReaderDeps): TokenReader {
  if (source === undefined) return async (token, origin) => claimsFor(readClaims(token), origin);
  const verifying = loadVerifier(source);
  // Told to whoever brings the first token.
  verifying.catch(() => {});
  let awayUntil = Number.NEGATIVE_INFINITY;
  return async (token, origin) => {
    const verify = await verifying;
    if (clock.now() < awayUntil) return claimsFor(readClaims(token), origin);
    try {
      const { sub: sessionId, origin: own } = await verify(token, { origin });
      return { sessionId, ...(own === undefined ? {} : { origin: own }) };
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === 'ORIGIN') throw originDiffers();
      if (code === 'KEYS_UNAVAILABLE') {
        // Not every client should wait for what does not answer.
        awayUntil = clock.now() + pauseMs;
        keysUnavailable();
      } else if (code !== 'ISSUER') throw tokenInvalid();
      // Signed by its keys under a former address, a token may be that of a replay.
      return claimsFor(readClaims(token), origin);
    }
  };
}

const pauseMs = 30_000;
/** How far the clocks of service and runtime may differ. Whether a token has expired is for the service to say. */
const clockToleranceSec = 60;

/** Loaded while the runtime already says that it is ready. */
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
