const refused = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'];

/** Where to go after a close; nothing when the address could run something here. */
export function safeReturnUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  try {
    const { protocol, href } = new URL(url, document.baseURI);
    return refused.includes(protocol) ? undefined : href;
  } catch {
    return undefined;
  }
}
