import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** The client network that a request is counted under. */
function addressOf(request: IncomingMessage, proxies: BlockList | undefined): string {
  const forwardedFor = request.headers['x-forwarded-for'];
  // Node joins repeated headers into one list, in order.
  const hops = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
  return clientAddress(request.socket.remoteAddress, hops, proxies);
}

/**
 * The sender of a request. A class rather than a closure: closures kept whole requests alive until a full garbage collection and
 * nearly doubled the memory in use.
 */
export class Client {
  readonly #request: IncomingMessage;
  readonly #proxies: BlockList | undefined;

  constructor(request: IncomingMessage, proxies: BlockList | undefined) {
    this.#request = request;
    this.#proxies = proxies;
  }

  /** The network that the request counts under. */
  network(): string {
    return clientNetwork(addressOf(this.#request, this.#proxies));
  }
}

/**
 * The client address: the socket's or, behind proxies listed in TRUST_PROXY, the right-most hop of X-Forwarded-For that is not one of
 * them. Entries further left are client-controlled and ignored.
 */
export function clientAddress(
  socket: string | undefined,
  forwardedFor: string | undefined,
  proxies?: BlockList,
): string {
  let address = plain(socket ?? '') ?? 'unknown';
  if (proxies === undefined || forwardedFor === undefined) return address;
  const hops = forwardedFor.split(',').reverse();
  for (const hop of hops) {
    if (!isTrusted(address, proxies)) break;
    const next = plain(hop.trim());
    if (next === undefined) break;
    address = next;
  }
  return address;
}

/** The network that counts as one client: an IPv4 address, or an IPv6 /64, the smallest prefix that a household is assigned. */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  return `${expanded(address).slice(0, 4).join(':')}::/64`;
}

function isTrusted(address: string, proxies: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** The address without port, brackets or zone; IPv4-mapped IPv6 becomes IPv4. */
function plain(text: string): string | undefined {
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  const address = bare.replace(/%.*$/, '');
  const version = isIP(address);
  if (version === 0) return undefined;
  if (version === 4) return address;
  const parts = expanded(address);
  if (parts.slice(0, 5).every((part) => part === '0') && parts[5] === 'ffff') {
    return parts
      .slice(6)
      .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
      .join('.');
  }
  return address.toLowerCase();
}

/** The eight groups of an IPv6 address, in lower case and without leading zeros. */
function expanded(address: string): string[] {
  const hex = address.toLowerCase().replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => {
    const pair = (high: string, low: string) => ((Number(high) << 8) | Number(low)).toString(16);
    return `${pair(a, b)}:${pair(c, d)}`;
  });
  const [head = '', tail] = hex.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(Math.max(8 - left.length - right.length, 0)).fill('0');
  return [...left, ...zeros, ...right].map((part) => Number.parseInt(part, 16).toString(16));
}
