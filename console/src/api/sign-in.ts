import { signal } from '@preact/signals';

/** Whether the sign-in form covers the page. Below it, everything stays as it is. */
export const isSigningIn = signal(false);

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
  isSigningIn.value = false;
  waiting?.resolve();
  waiting = undefined;
}
