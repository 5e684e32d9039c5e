import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../primitives/errors.ts';

/**
 * Returns a check that throws unless the header holds one of these tokens. Compares the digests of all tokens in constant time, so that
 * timing reveals neither a token nor its length.
 */
export function requireBearer(
  tokens: string | readonly string[],
  refusal: 'ADMIN_TOKEN_INVALID' | 'RUNTIME_TOKEN_INVALID',
): (authorization: string | undefined) => void {
  const expected = [tokens].flat().map(digest);
  return (authorization) => {
    const sent = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    const hash = digest(sent);
    const matches = expected.filter((one) => timingSafeEqual(hash, one));
    if (matches.length > 0) return;
    throw new ApiError(refusal, { headers: { 'WWW-Authenticate': 'Bearer' } });
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
