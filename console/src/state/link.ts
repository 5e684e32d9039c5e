/** The code of a sign-in link, or the error code of a sign-in through an identity provider. */
export const linkCode = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
export const linkError = /^#error=([^&]*)$/.exec(location.hash)?.[1];

// Before anything else reads the address.
if (linkCode !== undefined || linkError !== undefined) history.replaceState(null, '', location.pathname);
