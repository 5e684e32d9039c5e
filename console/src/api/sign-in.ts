import { signal } from '@preact/signals';

/** Whether the sign-in form covers the page. Below it, everything stays as it is. */
export const isSigningIn = signal(false);

/** How often somebody signed in, in this tab or another one. A request sent before the last time may be refused although it would succeed now. */
export const signIns = signal(0);

let waiting: { promise: Promise<void>; resolve: () => void } | undefined;
const channel = new BroadcastChannel('session-launch-sign-in');

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

/** Call it after a sign-in. Other tabs, which share the cookie, close their forms as well. */
export function signedIn(): void {
  channel.postMessage('');
  goOn();
}

channel.onmessage = goOn;

function goOn(): void {
  signIns.value++;
  isSigningIn.value = false;
  waiting?.resolve();
  waiting = undefined;
}
