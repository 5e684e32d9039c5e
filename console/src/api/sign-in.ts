import { signal } from '@preact/signals';

/** Whether the sign-in form covers the page. Below it, everything stays as it is. */
export const isSigningIn = signal(false);

/** How often somebody signed in on this page. A request that was sent before the last time may be refused although it would succeed now. */
let signIns = 0;

export const signInCount = () => signIns;

let waiting: { promise: Promise<void>; resolve: () => void } | undefined;

/** Shows the sign-in form. Resolves after a successful sign-in. */
export function signInAgain(): Promise<void> {
  if (waiting === undefined) {
    let resolve = () => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    waiting = { promise, resolve };
    isSigningIn.value = true;
  }
  return waiting.promise;
}

export function signedIn(): void {
  signIns++;
  isSigningIn.value = false;
  waiting?.resolve();
  waiting = undefined;
}
