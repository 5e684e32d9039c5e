import { signal } from '@preact/signals';

const codeIn = (hash: string) => /^#code=([\w-]+)$/.exec(hash)?.[1];

/** The code of a sign-in link that was opened and not used yet. */
export const linkCode = signal(codeIn(location.hash));
/** The error code of a sign-in through an identity provider. */
export const linkError = /^#error=([^&]*)$/.exec(location.hash)?.[1];

// Before anything else reads the address.
if (linkCode.value !== undefined || linkError !== undefined)
  history.replaceState(null, '', location.pathname);

// A link that is opened in a tab of the console changes only the fragment. The screen that was open stays.
addEventListener('hashchange', ({ oldURL }) => {
  const code = codeIn(location.hash);
  if (code === undefined) return;
  history.replaceState(null, '', oldURL);
  linkCode.value = code;
});
