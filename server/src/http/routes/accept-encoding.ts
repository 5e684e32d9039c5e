const maxCodings = 32;
const coding = /^([a-z0-9*_-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * Whether an `Accept-Encoding` header (RFC 9110, section 12.5.3) prefers gzip to the plain bytes: the weight of gzip is above 0 and not
 * below that of `identity`. Without the header, and for a header that excludes both, the plain bytes are sent.
 */
export function prefersGzip(header: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',', maxCodings)) {
    const [, name, weight] = coding.exec(part.trim()) ?? [];
    if (name !== undefined) weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight ?? 1));
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}
