import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { texts } from '../../texts/texts.ts';
import type { Experience } from '../document/model.ts';
import { ReviewDialog } from '../review/review-dialog.tsx';
import { toastNotSaved } from '../saving/after-closing.ts';
import type { Draft } from '../saving/draft.ts';
import { MergeCancelled } from '../saving/save.ts';

interface ActionsProps {
  draft: Draft;
  /** Shows the list of problems. */
  onProblems(): void;
}

/** The buttons of the draft. Ctrl+S saves. */
export function Actions({ draft, onProblems }: ActionsProps) {
  const isReviewing = useSignal(false);
  const isDiscarding = useSignal(false);
  const save = async () => {
    const { latestRevision } = draft.saved.value;
    try {
      await draft.saveIfChanged();
      const { latestRevision: revision } = draft.saved.value;
      toast(revision === latestRevision ? frameTexts.savedSettings : frameTexts.savedDraft(revision));
    } catch (error) {
      if (draft.isClosed.value) toastNotSaved(draft, error);
      else if (draft.problems.value.length > 0) onProblems();
      else toast(messageOf(error), { tone: error instanceof MergeCancelled ? 'good' : 'bad' });
    }
  };
  const review = () => {
    draft.leaveFields();
    if (draft.isChanged.value && draft.problems.value.length > 0) onProblems();
    else if (draft.text.value !== undefined) toast(frameTexts.notYaml, { tone: 'bad' });
    else set(isReviewing, true);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') !== null) return;
      draft.leaveFields();
      if (draft.isChanged.peek()) void save();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [draft]);
  const isChanged = draft.isChanged.value;
  const problems = draft.problems.value;
  return (
    <fieldset class="editor-actions">
      <legend class="hidden-text">{frameTexts.actions}</legend>
      {isChanged && problems.length > 0 ? (
        <button type="button" class="button plain problem-count" onClick={onProblems}>
          {frameTexts.status.problems(problems.length)}
        </button>
      ) : null}
      <Button look="plain" disabled={!isChanged} onPress={() => set(isDiscarding, true)}>
        {frameTexts.discard}
      </Button>
      <Button disabled={!isChanged || draft.isSaving.value} onPress={save}>
        {frameTexts.save}
      </Button>
      <Button look="primary" onPress={review}>
        {frameTexts.publish}
      </Button>
      {isDiscarding.value ? (
        <Confirm
          title={frameTexts.discardTitle}
          action={frameTexts.discard}
          isDangerous
          onConfirm={() => discard(draft)}
          onClose={() => set(isDiscarding, false)}
        >
          <p>{frameTexts.discardText}</p>
        </Confirm>
      ) : null}
      {isReviewing.value ? (
        <ReviewDialog draft={draft} onProblems={onProblems} onClose={() => set(isReviewing, false)} />
      ) : null}
    </fieldset>
  );
}

/** Returns to the saved document. The toast brings the changes back. */
function discard(draft: Draft): void {
  const undo = draft.replace(draft.saved.value.experience as Experience);
  toast(frameTexts.discarded, { action: { label: texts.undo, run: undo }, owner: draft });
}
