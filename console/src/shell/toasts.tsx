import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { dismiss, hold, release, type Toast, toasts } from '../state/toasts.ts';
import { texts } from '../texts/texts.ts';

/** Messages about what was done, with a way back where there is one. */
export function Toasts() {
  const ref = useRef<HTMLDivElement>(null);
  /** What had the focus before it was moved to a toast. */
  const before = useRef<EventTarget | null>(null);
  const shown = toasts.value;
  // Read while rendering: afterwards the browser has moved the focus from a removed toast to the page.
  const isFocused = ref.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (isFocused && !ref.current?.contains(document.activeElement)) giveBack(before.current);
  }, [shown]);
  useEffect(() => {
    const popover = ref.current;
    // Reopened above a dialog that was opened in between. The focus is in the dialog then, so the toasts do not lose it.
    if (shown.length === 0 || document.querySelector('dialog:modal') !== null) popover?.hidePopover();
    if (shown.length > 0 && !popover?.matches(':popover-open')) popover?.showPopover();
  }, [shown]);
  return (
    <div
      ref={ref}
      class="toasts"
      popover="manual"
      role="status"
      aria-live="polite"
      onFocusIn={({ relatedTarget }) => {
        if (!ref.current?.contains(relatedTarget as Node | null)) before.current = relatedTarget;
      }}
    >
      {shown.map((one) => (
        <Message key={one.id} toast={one} />
      ))}
    </div>
  );
}

/** One message. It stays while the pointer is over it or one of its buttons has the focus. */
function Message({ toast: { id, text, tone, action } }: { toast: Toast }) {
  return (
    <div
      class={`toast ${tone}`}
      onPointerEnter={() => hold(id, 'pointer')}
      onPointerLeave={() => release(id, 'pointer')}
      onFocusIn={() => hold(id, 'focus')}
      onFocusOut={() => release(id, 'focus')}
    >
      <span>{text}</span>
      {action === undefined ? null : (
        <Button
          onPress={() => {
            dismiss(id);
            return action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button look="plain" label={texts.close} onPress={() => dismiss(id)}>
        ✕
      </Button>
    </div>
  );
}

/** Focuses the element that had the focus before, or the content of the page if that element was removed. */
function giveBack(element: EventTarget | null): void {
  const target = element instanceof HTMLElement && element.isConnected ? element : undefined;
  (target ?? document.getElementById('main'))?.focus({ preventScroll: true });
}
