import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

/** A form that is sent by Enter or its submit button. While it is being sent, it cannot be sent again. */
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
  const isBusy = useRef(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await onSubmit();
    } finally {
      isBusy.current = false;
    }
  };
  return (
    <form class={look} onSubmit={submit}>
      {children}
    </form>
  );
}
