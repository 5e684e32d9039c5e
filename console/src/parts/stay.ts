import { useEffect } from 'preact/hooks';
import { isOperatorReplaced } from '../api/sign-in.ts';
import { stayHere } from '../state/route.ts';

/**
 * While `isNeeded`, the browser asks before it leaves or reloads the page. Back, Forward and new addresses within the console are taken
 * back, and `onLeave` is called instead.
 */
export function useStay(isNeeded: boolean, onLeave: () => void): void {
  useEffect(() => {
    if (!isNeeded) return;
    const warn = (event: BeforeUnloadEvent) => {
      // The secret must not stay on the screen for another operator.
      if (!isOperatorReplaced()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    const release = stayHere(onLeave);
    return () => {
      removeEventListener('beforeunload', warn);
      release();
    };
  }, [isNeeded]);
}
