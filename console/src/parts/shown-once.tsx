import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { set } from '../state/set.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { CopyValue } from './notice.tsx';
import { useStay } from './stay.ts';

interface ShownOnceProps {
  title: string;
  secret: string;
  /** The label of the secret. */
  label: string;
  words: { shownText: string; notCopied: string; closeAnyway: string; back: string; done: string };
  onClose(): void;
  /** More that contains the secret. It calls `copied` when it was copied. */
  children(copied: () => void): ComponentChildren;
}

/** Shows a new secret once. As long as it was not copied, asks before the dialog is closed or the page is left. */
export function ShownOnce({ title, secret, label, words, onClose, children }: ShownOnceProps) {
  const isCopied = useSignal(false);
  const isLeaving = useSignal(false);
  useStay(!isCopied.value, () => set(isLeaving, true));
  const leave = () => {
    if (isCopied.value) onClose();
    else isLeaving.value = true;
  };
  const copied = () => {
    isCopied.value = true;
    isLeaving.value = false;
  };
  return (
    <Dialog title={title} isWide onClose={leave}>
      <p>{words.shownText}</p>
      <CopyValue value={secret} label={label} autoFocus onCopy={copied} />
      {children(copied)}
      <div class="dialog-foot">
        {isLeaving.value ? (
          <>
            <p role="alert">{words.notCopied}</p>
            <Button onPress={() => set(isLeaving, false)}>{words.back}</Button>
            <Button look="danger" onPress={onClose}>
              {words.closeAnyway}
            </Button>
          </>
        ) : (
          <Button look="primary" onPress={leave}>
            {words.done}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
