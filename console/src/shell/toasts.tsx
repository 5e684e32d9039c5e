import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { dismiss, toasts } from '../state/toasts.ts';
import { texts } from '../texts.ts';

/** Messages about what was done, with a way back where there is one. */
export function Toasts() {
  const ref = useRef<HTMLDivElement>(null);
  const shown = toasts.value;
  useEffect(() => {
    // Shown again for each message, so that it is above a dialog that was opened in between.
    ref.current?.hidePopover();
    if (shown.length > 0) ref.current?.showPopover();
  }, [shown]);
  return (
    <div ref={ref} class="toasts" popover="manual" role="status" aria-live="polite">
      {shown.map(({ id, text, tone, action }) => (
        <div key={id} class={`toast ${tone}`}>
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
      ))}
    </div>
  );
}
