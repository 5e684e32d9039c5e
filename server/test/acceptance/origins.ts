import { pageOrigin } from '@session-launch/testing/world.ts';

/** Values of the `Origin` header that an allowlist with `https://app.example.com` does not permit. */
export const unlistedOrigins: [string, string | string[]][] = [
  ['null, from a sandboxed page', 'null'],
  ['another host', 'https://evil.example.org'],
  ['a subdomain', 'https://sub.app.example.com'],
  ['the parent domain', 'https://example.com'],
  ['a host that starts alike', 'https://app.example.com.evil.example.org'],
  ['a host that ends alike', 'https://evil-app.example.com'],
  ['another scheme', 'http://app.example.com'],
  ['another port', 'https://app.example.com:8443'],
  ['the default port, written out', 'https://app.example.com:443'],
  ['upper case', 'https://APP.example.com'],
  ['a trailing slash', 'https://app.example.com/'],
  ['a path', 'https://app.example.com/page'],
  ['a trailing dot', 'https://app.example.com.'],
  ['a user name', 'https://user@app.example.com'],
  ['the listed host as a user name', 'https://app.example.com@evil.example.org'],
  ['a query', 'https://app.example.com?x'],
  ['a host without a scheme', 'app.example.com'],
  ['an asterisk', '*'],
  ['a browser extension', 'chrome-extension://abcdefghijklmnop'],
  ['a file', 'file://'],
  ['two origins in one header', `${pageOrigin} https://evil.example.org`],
  ['two origins in two headers', [pageOrigin, 'https://evil.example.org']],
  ['the listed origin twice', [pageOrigin, pageOrigin]],
  ['letters beyond ASCII', 'https://app.éxample.com'],
  ['a very long value', `https://${'a'.repeat(4_000)}.example.com`],
];

/** An allowlist and an origin that almost matches one of its entries. */
export const nearMisses: [string, string[], string, RegExp][] = [
  ['a port', ['https://app.example.com:8443'], 'https://app.example.com', /port/],
  ['a scheme', ['https://app.example.com'], 'http://app.example.com', /scheme/],
  ['a www. too many', ['https://shop.example.com'], 'https://www.shop.example.com', /www\./],
  ['a missing www.', ['https://www.shop.example.com'], 'https://shop.example.com', /www\./],
  ['a port of localhost', ['http://localhost:5173'], 'http://localhost:3000', /port/],
];

/** Origins that `https://*.example.com` permits, and origins that it does not. */
export const underWildcard = ['https://a.example.com', 'https://shop-1.example.com'];
export const notUnderWildcard = [
  'https://example.com',
  'https://a.b.example.com',
  'http://a.example.com',
  'https://a.example.com:8443',
  'https://*.example.com',
  'https://.example.com',
  'https://a.example.org',
  'https://aexample.com',
];

/** Headers that a page also sends and that do not replace `Origin`. */
export const notOrigins = {
  Referer: `${pageOrigin}/page`,
  Host: 'app.example.com',
  'X-Forwarded-Host': 'app.example.com',
  'Sec-Fetch-Site': 'same-origin',
};
