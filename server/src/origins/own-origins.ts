const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** The origins of the service itself: its public URL and, on loopback, every loopback name. */
export function ownOrigins(baseUrl: string): string[] {
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  if (!loopback.includes(hostname)) return [origin];
  return loopback.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`);
}

/** The origins of the admin listener, by its address and by its configured URL. IPv6 addresses are left out: a CSP cannot contain them. */
export function consoleOrigins(addresses: readonly (string | undefined)[]): string[] {
  const origins = addresses.flatMap((address) => (address === undefined ? [] : ownOrigins(address)));
  return [...new Set(origins)].filter((origin) => !origin.includes('['));
}
