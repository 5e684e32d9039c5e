import type { Grant } from './grant.ts';

/** Addresses that adapters saw. A Request has none, and headers that name one can be forged. */
const addresses = new WeakMap<Request, string>();

export function setAddress(request: Request, address: string | undefined): void {
  if (address) addresses.set(request, network(address));
}

/** Whose budget a mint is taken from. Undefined where nothing tells visitors apart. */
export function budgetOf(request: Request, grant: Grant): string | undefined {
  return grant.limitKey ?? addresses.get(request) ?? grant.userId;
}

/**
 * The page's Idempotency-Key as the service gets it. Its scope there is the whole project, so a key that two visitors
 * share would hand one of them the other's token; hashed with the visitor it cannot. Without anything that tells visitors
 * apart, a page's key is not used at all.
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
  // What a page says of its user proves nothing, so it never stands alone.
  const visitor =
    grant.userId === undefined ? ['visitor', budget, pageUserId ?? null] : ['user', grant.userId];
  return `relay_${await sha256(JSON.stringify([visitor, key]))}`;
}

export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The part of an address that belongs to one visitor: an IPv4 address, or the /64 of an IPv6 one. */
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
