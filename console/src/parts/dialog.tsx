import './dialog.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { messageOf } from '../api/client.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { useModal } from './modal.ts';

interface DialogProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
  isWide?: boolean;
  /** Whether an action of the dialog is running. Until it has finished, the dialog cannot be closed. */
  isBusy?: boolean;
}

/** A modal dialog. The browser keeps the focus inside. */
export function Dialog({ title, onClose, children, isWide, isBusy = false }: DialogProps) {
  const ref = useModal();
  const id = useId();
  const close = () => {
    if (!isBusy) onClose();
  };
  // Chromium closes a dialog when Escape is pressed twice, whatever the cancel event says.
  const closedByBrowser = () => {
    ref.current?.showModal();
    close();
  };
  return (
    <dialog
      ref={ref}
      class={isWide ? 'modal wide' : 'modal'}
      aria-labelledby={id}
      onCancel={(event) => {
        // The event of a file field in the dialog bubbles, when its file picker is closed without a choice.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      onClose={closedByBrowser}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button look="plain" label={texts.close} isPaused={isBusy} onPress={close}>
          ✕
        </Button>
      </div>
      <div class="dialog-body" aria-busy={isBusy}>
        {children}
      </div>
    </dialog>
  );
}

/** Says in the foot of a dialog that its action is running. */
export function Progress({ isShown }: { isShown: boolean }) {
  return (
    <span class="progress" role="status">
      {isShown ? <span>{texts.working}</span> : null}
    </span>
  );
}

interface ConfirmProps {
  title: string;
  children: ComponentChildren;
  /** The label of the button that does it. */
  action: string;
  isDangerous?: boolean;
  onConfirm(): unknown;
  onClose(): void;
}

/** Asks before something is done. The dialog stays open while it is done, and shows a failure. */
export function Confirm({ title, children, action, isDangerous, onConfirm, onClose }: ConfirmProps) {
  const problem = useSignal<string | undefined>(undefined);
  const isRunning = useSignal(false);
  const confirm = async () => {
    problem.value = undefined;
    isRunning.value = true;
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      problem.value = messageOf(error);
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <Dialog title={title} onClose={onClose} isBusy={isRunning.value}>
      {children}
      {problem.value === undefined ? null : (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
      <div class="dialog-foot">
        <Progress isShown={isRunning.value} />
        <Button autoFocus isPaused={isRunning.value} onPress={onClose}>
          {texts.cancel}
        </Button>
        <Button look={isDangerous ? 'danger' : 'primary'} onPress={confirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
