import { isIPv4 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { LRUCache } from 'lru-cache';
import { getDomain } from 'tldts';

/** Longer than any real origin (scheme, 253 characters of host, port); keeps hostile headers cheap. */
const maxLength = 512;

const hostsAllowedOverHttp: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the value if it is a serialised http(s) origin. It is compared and never normalised: a browser always sends the serialised
 * form, so any other value did not come from a browser.
 */
export function parseOrigin(value: string): string | undefined {
  if (value.length > maxLength) return undefined;
  let isOne = known.get(value);
  if (isOne === undefined) {
    isOne = isOrigin(value);
    known.set(value, isOne);
  }
  return isOne ? value : undefined;
}

/** Caches checked origins: most requests come from few pages, and parsing a URL takes as long as parsing a body. */
const known = new LRUCache<string, boolean>({ max: 1_000 });

function isOrigin(value: string): boolean {
  if (!/^https?:\/\//.test(value)) return false;
  try {
    const url = new URL(value);
    return url.origin === value && isDecodable(url);
  } catch {
    return false;
  }
}

/** Whether every punycode label decodes. Node 24 accepts hosts with labels that do not; earlier versions reject them. */
function isDecodable({ hostname }: URL): boolean {
  return !hostname.includes('xn--') || !/(?:^|\.)xn--/.test(domainToUnicode(hostname));
}

/** Whether the raw value of an `Origin` header is on an allowlist of normalised entries. */
export function allows(entries: readonly string[], origin: string): boolean {
  return entriesCovering(origin).some((entry) => entries.includes(entry));
}

/**
 * The allowlist entries that match an origin: the origin itself, and the origin with its left-most label replaced by `*`. A wildcard
 * stands for exactly one label, with the same scheme and port, and never matches the apex. Empty for a value that is not an origin.
 */
export function entriesCovering(origin: string): string[] {
  // `URL` accepts `*` in a host, so the text of a wildcard entry would pass as an origin.
  if (parseOrigin(origin) === undefined || origin.includes('*')) return [];
  const [, scheme, parent] = /^(https?:\/\/)[a-z0-9_-]+\.(.+)$/.exec(origin) ?? [];
  return parent === undefined ? [origin] : [origin, `${scheme}*.${parent}`];
}

const differences = {
  port: { words: 'its port', vary: withoutPort },
  scheme: { words: 'its scheme (http or https)', vary: withOtherScheme },
  www: { words: 'a leading "www."', vary: withOrWithoutWww },
};

/** Ordered by number of differences, so that the hint names only what has to change. */
const nearMisses: readonly (readonly (keyof typeof differences)[])[] = [
  ['port'],
  ['scheme'],
  ['www'],
  ['scheme', 'port'],
  ['scheme', 'www'],
  ['port', 'www'],
  ['scheme', 'port', 'www'],
];

/** Describes how a refused origin differs from an allowed one, without naming the entry: the allowlist is not public. */
export function nearMiss(entries: readonly string[], origin: string): string | undefined {
  if (allows(entries, origin)) return undefined;
  if (parseOrigin(origin) === undefined) {
    const meant = serialised(origin);
    return meant !== undefined && allows(entries, meant)
      ? 'An allowed origin differs only in its spelling: send it as browsers do, in lower case, without a default port and with nothing after the host and port.'
      : undefined;
  }
  const entriesWithoutPort = entries.map(withoutPort);
  for (const names of nearMisses) {
    const variant = names.reduce((text, name) => differences[name].vary(text), origin);
    if (allows(names.includes('port') ? entriesWithoutPort : entries, variant)) {
      return `An allowed origin differs only in ${names.map((name) => differences[name].words).join(' and ')}.`;
    }
  }
  return undefined;
}

/** The origin of an http(s) URL, as browsers send it. */
export function serialised(value: string): string | undefined {
  if (value.length > maxLength) return undefined;
  try {
    const url = new URL(value);
    return /^https?:$/.test(url.protocol) ? url.origin : undefined;
  } catch {
    return undefined;
  }
}

function withoutPort(origin: string): string {
  return origin.replace(/:\d+$/, '');
}

function withOtherScheme(origin: string): string {
  return origin.startsWith('https:') ? `http${origin.slice(5)}` : `https${origin.slice(4)}`;
}

function withOrWithoutWww(origin: string): string {
  return origin.includes('://www.') ? origin.replace('://www.', '://') : origin.replace('://', '://www.');
}

const listEach = 'list each origin, such as https://www.example.com';

/** Normalises an allowlist entry of a project file into its stored form. */
export function normaliseEntry(text: string): { entry: string } | { problem: string } {
  const problem = problemInText(text);
  if (problem !== undefined) return { problem };

  const [, scheme, wildcard, authority] = /^(https?:\/\/)(\*\.)?(.*?)\/?$/i.exec(text) ?? [];
  const host = `${scheme}${authority}`;
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (url === undefined || !isDecodable(url)) {
    return { problem: `${JSON.stringify(text)} has a host or port that is not valid; ${listEach}` };
  }
  const problemOfHost = problemInHost(url, wildcard !== undefined);
  if (problemOfHost !== undefined) return { problem: `${JSON.stringify(text)} ${problemOfHost}` };
  return { entry: wildcard === undefined ? url.origin : url.origin.replace('://', '://*.') };
}

function problemInText(text: string): string | undefined {
  if (text === '') return `an empty entry admits no one; ${listEach}`;
  if (text.length > maxLength) return `an entry has more than ${maxLength} characters; ${listEach}`;
  if (text === '*') return `"*" would admit every site; ${listEach}`;
  // The text may contain a password, so the message does not quote it.
  if (text.includes('@')) return 'an entry has a user name or password; remove everything up to the "@"';
  const shown = JSON.stringify(text);
  if (/^null$/i.test(text)) return `${shown} is what sandboxed and local pages send; ${listEach}`;
  if (/[\s\p{Cc}]/u.test(text)) return `${shown} contains white space; write one origin per entry`;
  if (!/^https?:\/\//i.test(text)) {
    return `${shown} does not start with https://; write scheme and host, such as https://www.example.com`;
  }
  const authority = text.replace(/^https?:\/\//i, '').replace(/\/$/, '');
  if (/[/\\?#]/.test(authority)) {
    return `${shown} has a path, query or fragment; keep only scheme, host and port, such as https://www.example.com`;
  }
  if (authority.replace(/^\*\./, '').includes('*')) {
    return `${shown} misplaces "*"; it stands only for one whole left-most label, as in https://*.example.com`;
  }
  return undefined;
}

/** Checks the host as parsed by `URL`, which decodes, lower-cases and maps the input. */
function problemInHost(url: URL, wildcard: boolean): string | undefined {
  const host = url.hostname;
  const isAddress = isIPv4(host) || host.startsWith('[');
  if (!isAddress && !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) {
    return `has a host that is not a domain name or an IP address; ${listEach}`;
  }
  if (url.protocol === 'http:' && (wildcard || !hostsAllowedOverHttp.includes(host))) {
    return 'uses http, which is allowed only for localhost, 127.0.0.1 and [::1]; use https';
  }
  if (!wildcard) return undefined;
  if (isAddress) return `puts "*" before an IP address, which has no subdomains; ${listEach}`;
  if (!isUnderOneOwner(host)) {
    return `would admit sites of many owners, because anyone can register a name under ${host}; ${listEach}`;
  }
  return undefined;
}

/**
 * Looks up a name below the host, not the host: `kawasaki.jp` is no public suffix, yet every `*.kawasaki.jp` is one. Private suffixes
 * count too, because anyone can register a name under `github.io`.
 */
function isUnderOneOwner(host: string): boolean {
  const below = `some-label.${host}`;
  const registrable = getDomain(below, { allowPrivateDomains: true, extractHostname: false });
  return registrable !== null && registrable !== below;
}
