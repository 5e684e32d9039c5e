import { useSignal } from '@preact/signals';
import { messageOf } from '../../api/client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { toast } from '../../state/toasts.ts';
import { revisionTexts } from '../../texts/editor/revisions.ts';
import type { Draft } from '../saving/draft.ts';
import { isForToast, publishRevision } from '../saving/publish.ts';
import { Outdated } from '../saving/save.ts';
import { RevisionDifferences } from './compare.tsx';
import { PublishFoot } from './publish-foot.tsx';

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
    <Dialog title={revisionTexts.publishTitle(revision)} onClose={onClose} isBusy={isPublishing.value} isWide>
      <p>{revisionTexts.rollBack}</p>
      {published === undefined ? null : (
        <RevisionDifferences experienceId={draft.experienceId} from={published} to={revision} />
      )}
      <PublishFoot
        note={note}
        problem={problem.value}
        isPublishing={isPublishing.value}
        action={revisionTexts.publishButton}
        onPublish={publish}
        onClose={onClose}
      />
    </Dialog>
  );
}
