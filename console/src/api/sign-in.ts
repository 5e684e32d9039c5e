import { signal } from '@preact/signals';
import { texts } from '../texts/texts.ts';

/** Whether the sign-in form covers the page. Below it, everything stays as it is. */
export const isSigningIn = signal(false);

/** Number of sign-ins, in this tab or another one. A request sent before the last time may be refused although it would succeed now. */
export const signIns = signal(0);

/** The operator whom this page was loaded for. What it shows and what is typed into it belong to this operator. */
let loadedFor: string | undefined;

/** Whether another operator has signed in since, in this tab or another one. */
let isReplaced = false;

let waiting: { promise: Promise<void>; resolve: () => void } | undefined;
const channel = new BroadcastChannel('session-launch-sign-in');

/** Shows the sign-in form. Resolves after a successful sign-in, also if another operator has signed in: see `requireSameOperator`. */
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

/** Whether another operator has signed in. The page is about to be reloaded for that operator. */
export function isOperatorReplaced(): boolean {
  return isReplaced;
}

/** Throws once another operator has signed in: requests of this page would run as that operator. */
export function requireSameOperator(): void {
  if (isReplaced) throw new Error(texts.signIn.replaced);
}

/**
 * Call it with the operator that the service reports, when the page is loaded and after each sign-in. Repeats the requests that wait for a
 * sign-in, in all tabs, because tabs share the cookie. Tabs that were loaded for another operator reject these requests and reload.
 */
export function signedInAs(operatorId: string): void {
  loadedFor ??= operatorId;
  channel.postMessage(operatorId);
  goOn(operatorId);
  requireSameOperator();
}

channel.onmessage = ({ data }: MessageEvent<string>) => goOn(data);

function goOn(operatorId: string): void {
  isReplaced ||= loadedFor !== undefined && operatorId !== loadedFor;
  signIns.value++;
  // The form continues to cover a page that is about to be reloaded.
  isSigningIn.value = isSigningIn.value && isReplaced;
  waiting?.resolve();
  waiting = undefined;
  if (isReplaced) location.reload();
}
