import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Returns a check whether an `Authorization` header holds one of these bearer tokens. Compares the digests of all tokens in constant time,
 * so that timing reveals neither a token nor its length.
 */
export function bearerCheck(tokens: readonly string[]): (authorization: string | undefined) => boolean {
  const expected = tokens.map(digest);
  return (authorization) => {
    const sent = digest(/^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '');
    return expected.filter((one) => timingSafeEqual(sent, one)).length > 0;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
