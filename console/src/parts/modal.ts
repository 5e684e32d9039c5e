import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** What had the focus before the first of the dialogs that follow each other was opened. */
let opener: Element | null = null;

/** Opens a dialog element as a modal one while its component is shown, and gives the focus back afterwards. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    if (before !== document.body && !before?.closest('dialog')) opener = before;
    ref.current?.showModal();
    // After the next dialog, if there is one, has been opened.
    return () => setTimeout(() => giveBack([before, opener, document.getElementById('main')]));
  }, []);
  return ref;
}

/** Focuses the first of these that can have the focus, unless another dialog is open. */
function giveBack(candidates: readonly (Element | null)[]): void {
  const open = [...document.querySelectorAll('dialog:modal')].at(-1);
  for (const one of candidates) {
    if (!(one instanceof HTMLElement) || one === document.body || !one.isConnected) continue;
    if (open !== undefined && !open.contains(one)) return;
    one.focus();
    // A disabled button refuses it.
    if (document.activeElement === one) return;
  }
}
