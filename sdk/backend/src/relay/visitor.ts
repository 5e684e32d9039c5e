import type { Grant } from './grant.ts';

/** Client addresses from the adapters. A `Request` has none, and headers such as X-Forwarded-For can be forged. */
const addresses = new WeakMap<Request, string>();

export function setAddress(request: Request, address: string | undefined): void {
  if (address) addresses.set(request, network(address));
}

/** Key of the rate limit for a mint. Undefined if nothing identifies the visitor. */
export function budgetOf(request: Request, grant: Grant): string | undefined {
  return grant.limitKey ?? addresses.get(request) ?? grant.userId;
}

/**
 * The Idempotency-Key that the relay sends to the service: a hash of the page's key and the visitor. The service scopes keys to the
 * whole project, so an unhashed key that two visitors share would return one visitor's token to the other. Undefined if the
 * page sent no key or nothing identifies the visitor.
 */
export async function idempotencyKey(
  request: Request,
  grant: Grant,
  pageUserId: string | undefined,
): Promise<string | undefined> {
  const key = request.headers.get('Idempotency-Key');
  if (key === null) return undefined;
  const budget = budgetOf(request, grant);
  if (grant.userId === undefined && budget === undefined) return undefined;
  // The page's user id is not verified, so it is only used together with the rate-limit key.
  const visitor =
    grant.userId === undefined ? ['visitor', budget, pageUserId ?? null] : ['user', grant.userId];
  return `relay_${await sha256(JSON.stringify([visitor, key]))}`;
}

export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The network of one visitor: the whole IPv4 address, or the /64 prefix of an IPv6 address. */
function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const bare = address.replace(/%.*$/, '');
  if (!bare.includes(':') || !URL.canParse(`http://[${bare}]/`)) return address;
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const [front = '', back = ''] = canonical.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const missing = 8 - groups(front).length - groups(back).length;
  const all = canonical.includes('::')
    ? [...groups(front), ...Array<string>(missing).fill('0'), ...groups(back)]
    : groups(canonical);
  return `${all.slice(0, 4).join(':')}::/64`;
}
