import { Resolver, lookup as resolveName } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { buildConnector } from 'undici';
import { isAllowedAddress, isLoopbackAddress, isPrivateAddress } from './addresses.ts';
import type { OutboundRules } from './target.ts';

/** Resolves a host name to its addresses. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** The resolver of the operating system, which also reads /etc/hosts. */
export const systemResolve: Resolve = async (hostname) =>
  (await resolveName(hostname, { all: true })).map(({ address }) => address);

/** Milliseconds until the request to a name server is repeated; the resolution fails after twice as many more. */
const dnsTimeoutMs = 2_000;

/**
 * Asks the name servers of the system, without /etc/hosts. Unlike the resolver of the operating system, this uses no thread: with names
 * whose servers never respond, operators could otherwise occupy the threads that resolve all other names, also that of the database.
 */
export async function dnsResolve(hostname: string, servers?: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const failure = found.find(({ status }) => status === 'rejected');
  // The first one is used.
  if (!hasIpv4()) found.reverse();
  const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason;
  return addresses;
}

function hasIpv4(): boolean {
  return Object.values(networkInterfaces()).some((one) =>
    one?.some(({ family, internal }) => family === 'IPv4' && !internal),
  );
}

/**
 * Requests to one name share the lookup in flight. The operating system resolves two names of a process at a time, so that requests to one
 * that hangs would delay all others.
 */
function shared(resolve: Resolve): Resolve {
  const inFlight = new Map<string, Promise<string[]>>();
  return (hostname) => {
    const lookup = inFlight.get(hostname) ?? resolve(hostname).finally(() => inFlight.delete(hostname));
    inFlight.set(hostname, lookup);
    return lookup;
  };
}

/** The name of an outbound request resolves to an address to which requests must not be sent. */
export class ForbiddenAddress extends Error {
  constructor(hostname: string) {
    super(`${hostname} resolves to a loopback, private or otherwise reserved address`);
  }
}

/**
 * Opens connections for undici. A name is resolved at most once for each connection. The connection is opened to the first of the addresses, and
 * only if all of them are allowed, so that no second resolution can lead elsewhere. Addresses in URLs are checked by `urlProblem`, because
 * they are not looked up.
 */
export function openConnector(
  rules: OutboundRules,
  resolve: Resolve,
  timeoutMs: number,
): buildConnector.connector {
  const lookUp = shared(resolve);
  const https = buildConnector({
    timeout: timeoutMs,
    lookup: lookupWith(lookUp, (address) => isAllowedAddress(address, rules)),
  });
  const http = buildConnector({
    timeout: timeoutMs,
    lookup: lookupWith(lookUp, rules.allowPrivateHttp ? isPrivateAddress : isLoopbackAddress),
  });
  return (options, callback) => (options.protocol === 'https:' ? https : http)(options, callback);
}

function lookupWith(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [address] = addresses;
        if (address === undefined || !addresses.every(isAllowed)) {
          callback(new ForbiddenAddress(hostname), '', 0);
          return;
        }
        const family = address.includes(':') ? 6 : 4;
        if (options.all) callback(null, [{ address, family }]);
        else callback(null, address, family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}
