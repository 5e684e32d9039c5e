import { batch, useSignal } from '@preact/signals';
import { messageOf } from '../../api/client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { differences } from '../document/differences.ts';
import { toastNotSaved } from '../saving/after-closing.ts';
import type { Draft } from '../saving/draft.ts';
import { publishRevision } from '../saving/publish.ts';
import { MergeCancelled, Outdated } from '../saving/save.ts';
import { DifferenceList } from './difference-list.tsx';
import { PublishFoot } from './publish-foot.tsx';

interface ReviewDialogProps {
  draft: Draft;
  onClose(): void;
  /** The document could not be saved because of its problems. */
  onProblems(): void;
}

/** The fields that a revision freezes. */
const frozen = new Set(['slug', 'title', 'runtime']);

/** What publishing the draft changes for visitors, a note, and the button that does it. */
export function ReviewDialog({ draft, onClose, onProblems }: ReviewDialogProps) {
  const note = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  // What the list shows. Changes by others do not replace it before "Review again", so that nothing is published unseen.
  const reviewed = useSignal({ saved: draft.saved.value, document: draft.document.value });
  const changedBy = useSignal<string | undefined>(undefined);
  const isPublishing = useSignal(false);
  const { saved, document } = reviewed.value;
  const { live, latestRevision } = saved;
  // The status follows the publication.
  const found = differences(live, document).filter(({ place }) => place[0] !== 'status');
  const hasSettings = found.some(({ place }) => !frozen.has(String(place[0])));
  const isFirst = live === undefined;
  const isOutdated = () => draft.saved.value.version !== saved.version || draft.document.value !== document;
  const reviewAgain = (by: string) =>
    batch(() => {
      reviewed.value = { saved: draft.saved.value, document: draft.document.value };
      changedBy.value = by;
    });
  const publish = async () => {
    problem.value = undefined;
    if (isOutdated()) return reviewAgain(draft.saved.value.updatedBy);
    isPublishing.value = true;
    let isSaved = false;
    try {
      const written = note.value.trim();
      // The note belongs to the revision, if publishing makes one.
      const made = draft.isChanged.value ? await draft.save(written) : { ...saved, mergedWith: undefined };
      isSaved = true;
      if (made.mergedWith !== undefined) throw new Outdated(made.mergedWith);
      await publishRevision(draft, { revision: made.latestRevision, version: made.version, note: written });
      onClose();
    } catch (error) {
      if (draft.isClosed.value)
        return isSaved ? toast(messageOf(error), { tone: 'bad' }) : toastNotSaved(draft, error);
      if (error instanceof MergeCancelled) return;
      if (error instanceof Outdated) return reviewAgain(error.by);
      problem.value = messageOf(error);
      if (draft.problems.value.length > 0) {
        onClose();
        onProblems();
      }
    } finally {
      isPublishing.value = false;
    }
  };
  const isNewer = isOutdated() && !isPublishing.value;
  const author = isNewer ? draft.saved.value.updatedBy : changedBy.value;
  return (
    <Dialog title={frameTexts.review.title} onClose={onClose} isBusy={isPublishing.value} isWide>
      {author === undefined ? null : (
        <p class="editor-notice" role="status">
          {frameTexts.review.changed(author)}
        </p>
      )}
      {isFirst ? (
        <p>{latestRevision === 1 ? frameTexts.review.first : frameTexts.review.unpublishedNow}</p>
      ) : found.length === 0 ? (
        <p>{frameTexts.review.nothing}</p>
      ) : (
        <section class="stack">
          <h3>{frameTexts.review.changes(found.length)}</h3>
          <DifferenceList differences={found} documents={[document, live]} />
        </section>
      )}
      {draft.isChanged.value ? <p class="soft">{frameTexts.review.savesFirst}</p> : null}
      {hasSettings && !isFirst ? <p class="soft">{frameTexts.review.settings}</p> : null}
      <PublishFoot
        note={note}
        problem={problem.value}
        isPublishing={isPublishing.value}
        action={isNewer ? frameTexts.review.again : frameTexts.review.publish}
        disabled={!isNewer && !isFirst && found.length === 0}
        onPublish={publish}
        onClose={onClose}
      />
    </Dialog>
  );
}
