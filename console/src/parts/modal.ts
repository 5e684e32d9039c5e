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

/** Focuses the first of these that is still on the page, unless another dialog is open. */
function giveBack(candidates: readonly (Element | null)[]): void {
  const target = candidates.find((one) => one?.isConnected && one !== document.body);
  const open = [...document.querySelectorAll('dialog:modal')].at(-1);
  if (target instanceof HTMLElement && (open === undefined || open.contains(target))) target.focus();
}
