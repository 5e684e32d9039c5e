import './button.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { messageOf } from '../api/client.ts';
import { toast } from '../state/toasts.ts';

interface ButtonProps {
  children: ComponentChildren;
  /** May be asynchronous: the button does nothing until it has finished, and a failure is shown as a toast. */
  onPress?: () => unknown;
  look?: 'primary' | 'danger' | 'plain' | 'normal';
  type?: 'button' | 'submit';
  /** The accessible name, where the text alone does not say what the button is for. */
  label?: string;
  /** The id of an element that says what the button acts on. */
  describedBy?: string;
  disabled?: boolean;
  /** Whether it does nothing for the moment. Unlike a disabled button, it keeps the focus. */
  isPaused?: boolean | undefined;
  /** Whether it has the focus when its dialog opens. */
  autoFocus?: boolean;
}

export function Button({
  children,
  onPress,
  look = 'normal',
  type = 'button',
  label,
  describedBy,
  disabled,
  isPaused,
  autoFocus,
}: ButtonProps) {
  const isBusy = useSignal(false);
  const press = async () => {
    if (onPress === undefined || isBusy.value || isPaused) return;
    isBusy.value = true;
    try {
      await onPress();
    } catch (error) {
      toast(messageOf(error), { tone: 'bad' });
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <button
      type={type}
      class={`button ${look}`}
      aria-label={label}
      aria-describedby={describedBy}
      // biome-ignore lint/a11y/noAutofocus: only in dialogs, which have to put the focus somewhere
      autoFocus={autoFocus}
      disabled={disabled}
      // A disabled button would lose the focus.
      aria-disabled={isBusy.value || isPaused || undefined}
      onClick={onPress === undefined ? undefined : press}
    >
      {children}
    </button>
  );
}

export function LinkButton({
  href,
  children,
  look = 'normal',
}: {
  href: string;
  children: ComponentChildren;
  look?: 'primary' | 'plain' | 'normal';
}) {
  return (
    <a class={`button ${look}`} href={href}>
      {children}
    </a>
  );
}
