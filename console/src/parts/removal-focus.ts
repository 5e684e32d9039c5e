import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Keeps the focus in a list when the entry with the focused remove button disappears: focuses the remove button of the entry after it, or
 * else the control that adds an entry. Call it in the component that renders the entries.
 * @param remove selects the remove buttons, one per entry
 * @param add selects the control that adds an entry
 * @returns the ref of the element that contains both
 */
export function useRemovalFocus<T extends HTMLElement>(remove: string, add: string): RefObject<T | null> {
  const ref = useRef<T>(null);
  const buttons = () => [...(ref.current?.querySelectorAll<HTMLElement>(remove) ?? [])];
  // Read while rendering: afterwards the browser has moved the focus to the page.
  const focused = document.activeElement as HTMLElement;
  const index = buttons().indexOf(focused);
  useLayoutEffect(() => {
    if (index < 0 || focused.isConnected) return;
    (buttons()[index] ?? ref.current?.querySelector<HTMLElement>(add))?.focus();
  });
  return ref;
}
