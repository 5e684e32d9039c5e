import { sha256 } from './sha256.ts';

/** A strong ETag of this content. */
export function etagOf(body: string): string {
  return `"${sha256(body).toString('base64url').slice(0, 27)}"`;
}

/** Whether an If-None-Match header matches this tag (weak comparison, as RFC 9110 requires for GET). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((tag) => opaque(tag.trim()) === opaque(etag));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
