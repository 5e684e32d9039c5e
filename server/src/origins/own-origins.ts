const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** Where a browser finds the service itself: its address, and on this machine every name of it. */
export function ownOrigins(baseUrl: string): string[] {
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  if (!loopback.includes(hostname)) return [origin];
  return loopback.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`);
}
