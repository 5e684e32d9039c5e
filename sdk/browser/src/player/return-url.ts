const refused = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'];

/** URL to navigate to after closing; undefined if it is not valid or its scheme could execute script in this page. */
export function safeReturnUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  try {
    const { protocol, href } = new URL(url, document.baseURI);
    return refused.includes(protocol) ? undefined : href;
  } catch {
    return undefined;
  }
}
