import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors.ts';

/** Admits whoever sends this token. Compares hashes, so that the time it takes tells nothing about the token or its length. */
export function requireBearer(
  token: string,
  refusal: 'ADMIN_TOKEN_INVALID' | 'RUNTIME_TOKEN_INVALID',
): (authorization: string | undefined) => void {
  const expected = digest(token);
  return (authorization) => {
    const sent = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    if (timingSafeEqual(digest(sent), expected)) return;
    throw new ApiError(refusal, { headers: { 'WWW-Authenticate': 'Bearer' } });
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
