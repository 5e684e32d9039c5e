import { useSignal } from '@preact/signals';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { revisionTexts } from '../../texts/editor/revisions.ts';
import { texts } from '../../texts.ts';
import type { Draft } from '../draft.ts';
import { isForToast, publishRevision } from '../frame/publish.ts';
import { Outdated } from '../saving/save.ts';
import { RevisionDifferences } from './compare.tsx';

interface PublishRevisionProps {
  draft: Draft;
  revision: number;
  onClose(): void;
}

/** Publishes any revision, such as an earlier one, after showing what changes for visitors. */
export function PublishRevision({ draft, revision, onClose }: PublishRevisionProps) {
  const note = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const isPublishing = useSignal(false);
  // Of the state that the list shows. Changes by others do not replace it, so that nothing is published unseen.
  const shown = useSignal(draft.saved.value);
  const { version, publishedRevision: published } = shown.value;
  const publish = async () => {
    problem.value = undefined;
    isPublishing.value = true;
    try {
      await publishRevision(draft, { revision, version, note: note.value.trim() });
      onClose();
    } catch (error) {
      if (isForToast(draft, error)) {
        toast(messageOf(error), { tone: 'bad' });
        return onClose();
      }
      if (error instanceof Outdated) shown.value = draft.saved.value;
      problem.value = messageOf(error);
    } finally {
      isPublishing.value = false;
    }
  };
  return (
    <Dialog
      title={revisionTexts.publishTitle(revision)}
      onClose={onClose}
      keepsOpen={() => isPublishing.value}
      isWide
    >
      <p>{revisionTexts.rollBack}</p>
      {published === undefined ? null : (
        <RevisionDifferences experienceId={draft.experienceId} from={published} to={revision} />
      )}
      <TextField
        label={frameTexts.review.note}
        help={frameTexts.review.noteHelp}
        value={note.value}
        maxLength={500}
        onInput={(value) => set(note, value)}
      />
      {problem.value === undefined ? null : (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
      <div class="dialog-foot">
        <Button disabled={isPublishing.value} onPress={onClose}>
          {texts.cancel}
        </Button>
        <Button look="primary" onPress={publish}>
          {revisionTexts.publishButton}
        </Button>
      </div>
    </Dialog>
  );
}
