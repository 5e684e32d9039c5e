/** What a session token says of itself. The service alone decides whether it is true. */
export interface TokenClaims {
  sessionId: string;
  origin?: string;
}

export function readClaims(token: string): TokenClaims | undefined {
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
