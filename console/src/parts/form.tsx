import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

/**
 * A form that is sent by Enter or its submit button. While it is being sent, it cannot be sent again. Afterwards, the focus moves to the
 * first field with a problem, unless the user has moved it since the form was sent.
 */
export function Form({
  onSubmit,
  look = 'stack',
  children,
}: {
  onSubmit(): Promise<void>;
  /** The classes of the form. */
  look?: string;
  children: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  const isBusy = useRef(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.current) return;
    isBusy.current = true;
    const focused = document.activeElement;
    try {
      await onSubmit();
    } finally {
      isBusy.current = false;
    }
    // After the problem is rendered.
    requestAnimationFrame(() => {
      // A removed element has lost the focus to the body.
      const { activeElement } = document;
      if (activeElement !== focused && activeElement !== document.body) return;
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    });
  };
  return (
    <form ref={form} class={look} onSubmit={submit}>
      {children}
    </form>
  );
}
