import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors.ts';

/** Requires this bearer token. Compares digests in constant time, so that timing reveals neither the token nor its length. */
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
