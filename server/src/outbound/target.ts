import { isIP } from 'node:net';
import { isAllowedAddress, isLoopbackAddress, isPrivateAddress } from './addresses.ts';

/** Where requests may go. */
export interface OutboundRules {
  /** Whether https to loopback and private addresses, and http to loopback addresses, are allowed. */
  allowPrivate: boolean;
  /** Whether http is allowed to private addresses as well, for servers in the network of the service. */
  allowPrivateHttp?: boolean;
}

/** What is wrong with a URL, as the end of a sentence that begins with its name; `undefined` if requests may be sent to it. */
export function urlProblem(text: string, rules: OutboundRules): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  const isHttp = url.protocol === 'http:' && rules.allowPrivate;
  if (url.protocol !== 'https:' && !isHttp) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.hash !== '') return 'must not contain a fragment';
  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  if (isHttp && rules.allowPrivateHttp) {
    // What a name resolves to is checked when the connection is opened.
    if (isAddress && !isPrivateAddress(host))
      return 'must begin with https://, unless it names a private address';
  } else if (isHttp && !(isAddress ? isLoopbackAddress(host) : isLocalName(host)))
    return 'must begin with https://, unless it names a loopback address';
  if (isAddress ? !isAllowedAddress(host, rules) : isLocalName(host) && !rules.allowPrivate)
    return 'must not name a loopback, private or otherwise reserved address';
  return undefined;
}

/** The host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function isLocalName(host: string): boolean {
  return /^(?:.*\.)?localhost\.?$/.test(host);
}
