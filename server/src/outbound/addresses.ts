import { BlockList, isIP } from 'node:net';

type Subnet = readonly [address: string, prefix: number];

/** Special-purpose IPv4 networks (IANA registry), and the address from which Azure serves metadata. */
const special4: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Global unicast addresses. Outside are loopback, unspecified, mapped, NAT64, unique local, link-local, site-local and multicast ones. */
const global6: Subnet = ['2000::', 3];

/** Special-purpose networks within 2000::/3: Teredo and other protocols, documentation, and 6to4, which contains IPv4 addresses. */
const special6: readonly Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const loopback4: readonly Subnet[] = [['127.0.0.0', 8]];
const loopback6: readonly Subnet[] = [['::1', 128]];
const private4: readonly Subnet[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
];
const private6: readonly Subnet[] = [['fc00::', 7]];
/** Unique local addresses from which clouds serve metadata: AWS and Google. */
const metadata6: readonly Subnet[] = [
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
];

const special = blockList(special4, special6);
const global = blockList([], [global6]);
const loopback = blockList(loopback4, loopback6);
const ownNetwork = blockList([...loopback4, ...private4], [...loopback6, ...private6]);
const metadata = blockList([], metadata6);

function blockList(subnets4: readonly Subnet[], subnets6: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets4) list.addSubnet(address, prefix, 'ipv4');
  for (const [address, prefix] of subnets6) list.addSubnet(address, prefix, 'ipv6');
  return list;
}

/** Node compares a mapped IPv4 address in IPv6 form with the IPv4 networks of a list, so these addresses are recognised first. */
const mapped = blockList([], [['::ffff:0:0', 96]]);

export function isLoopbackAddress(address: string): boolean {
  return isIn(loopback, address);
}

/** Whether an address is a loopback or private one, and none from which metadata are served. */
export function isPrivateAddress(address: string): boolean {
  return isIn(ownNetwork, address) && !isIn(metadata, address);
}

/**
 * Whether requests may be sent to an IP address: it is public, or `allowPrivate` is set and it is a loopback or private address. Link-local,
 * shared (RFC 6598), metadata, multicast and mapped addresses are never allowed.
 */
export function isAllowedAddress(address: string, { allowPrivate }: { allowPrivate: boolean }): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  if (isMapped(address)) return false;
  const isPublic = !isIn(special, address) && (isIP(address) === 4 || isIn(global, address));
  return isPublic || (allowPrivate && isPrivateAddress(address));
}

function isMapped(address: string): boolean {
  return isIP(address) === 6 && mapped.check(address, 'ipv6');
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return false;
  return !isMapped(address) && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
