import { useEffect } from 'preact/hooks';
import { requireSameOperator } from '../../api/sign-in.ts';
import { stayHere } from '../../state/route.ts';

/**
 * While `isNeeded`, the browser asks before it leaves or reloads the page. Back, Forward and new addresses within the console are taken
 * back, and `onLeave` is called instead.
 */
export function useStay(isNeeded: boolean, onLeave: () => void): void {
  useEffect(() => {
    if (!isNeeded) return;
    const warn = (event: BeforeUnloadEvent) => {
      if (!isReplaced()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    const release = stayHere(onLeave);
    return () => {
      removeEventListener('beforeunload', warn);
      release();
    };
  }, [isNeeded]);
}

/** Whether another operator has signed in. Then the page reloads without a question: it must not be shown to that operator. */
function isReplaced(): boolean {
  try {
    requireSameOperator();
    return false;
  } catch {
    return true;
  }
}
