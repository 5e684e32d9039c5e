import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Progress } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { excessOf } from '../../parts/length.tsx';
import { set } from '../../state/set.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { texts } from '../../texts/texts.ts';

interface PublishFootProps {
  note: Signal<string>;
  problem: string | undefined;
  isPublishing: boolean;
  /** The label of the button that publishes. */
  action: string;
  disabled?: boolean;
  onPublish(): unknown;
  onClose(): void;
}

/** Maximum characters of a note. */
const maxNote = 500;

/** The end of a dialog that publishes: the note of the revision, what failed, and the buttons. */
export function PublishFoot(props: PublishFootProps) {
  const { note, problem, isPublishing, action, disabled = false, onPublish, onClose } = props;
  const field = useRef<HTMLDivElement>(null);
  const publish = () => {
    if (excessOf(note.value, maxNote) === 0) return onPublish();
    field.current?.querySelector('input')?.focus();
  };
  return (
    <>
      <div ref={field}>
        <TextField
          label={frameTexts.review.note}
          help={frameTexts.review.noteHelp}
          value={note.value}
          maxLength={maxNote}
          onInput={(value) => set(note, value)}
        />
      </div>
      {problem === undefined ? null : (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-foot">
        <Progress isShown={isPublishing} />
        <Button isPaused={isPublishing} onPress={onClose}>
          {texts.cancel}
        </Button>
        <Button look="primary" disabled={disabled} onPress={publish}>
          {action}
        </Button>
      </div>
    </>
  );
}
