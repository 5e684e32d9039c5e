import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

type Sender = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Returns the client network to which a request is attributed, for limits per client. */
export function networkOf(request: Sender, proxies: BlockList | undefined): string {
  return clientNetwork(addressOf(request, proxies));
}

/** Returns the client address of a request. */
export function addressOf({ headers, socket }: Sender, proxies: BlockList | undefined): string {
  const forwardedFor = headers['x-forwarded-for'];
  // Repeated headers form one list, in order.
  const hops = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
  return clientAddress(socket.remoteAddress, hops, proxies);
}

/**
 * The client's address: that of the socket or, behind the proxies in `TRUST_PROXY`, the right-most hop that is not one of them. Hops
 * further left are ignored: a client can forge them.
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
    if (!isListed(address, proxies)) break;
    const next = plain(hop.trim());
    if (next === undefined) break;
    address = next;
  }
  return address;
}

/** The unit for limits per client: an IPv4 address or an IPv6 /64, because one subscriber usually gets a whole /64. */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  return `${expanded(address).slice(0, 4).join(':')}::/64`;
}

/** Whether a list contains an address. */
export function isListed(address: string, proxies: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Strips port, brackets and zone, and unmaps IPv4-mapped IPv6 addresses. */
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

/** Reads the addresses and CIDR ranges of `TRUST_PROXY`. Returns `undefined` if one of them is malformed. */
export function proxyList(value: string): BlockList | undefined {
  const list = new BlockList();
  for (const part of value.split(',').map((p) => p.trim())) {
    const [address = '', bits, ...rest] = part.split('/');
    const version = isIP(address);
    if (version === 0 || rest.length > 0) return undefined;
    const family = version === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32))
      list.addSubnet(address, Number(bits), family);
    else return undefined;
  }
  return list;
}
