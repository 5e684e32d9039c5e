import { useSignal } from '@preact/signals';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { set } from '../../state/set.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { texts } from '../../texts.ts';
import { differences } from '../document/differences.ts';
import type { Draft } from '../draft.ts';
import { MergeCancelled } from '../saving/save.ts';
import { DifferenceList } from './difference-list.tsx';
import { publishRevision } from './publish.ts';

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
  const { live, latestRevision } = draft.saved.value;
  const document = draft.document.value;
  // The status follows the publication.
  const found = differences(live, document).filter(({ place }) => place[0] !== 'status');
  const hasSettings = found.some(({ place }) => !frozen.has(String(place[0])));
  const isFirst = live === undefined;
  const publish = async () => {
    problem.value = undefined;
    try {
      const written = note.value.trim();
      // The note belongs to the revision, if publishing makes one.
      if (draft.isChanged.value) await draft.save(written);
      await publishRevision(draft, { note: written });
      onClose();
    } catch (error) {
      if (error instanceof MergeCancelled) return;
      problem.value = messageOf(error);
      if (draft.problems.value.length > 0) {
        onClose();
        onProblems();
      }
    }
  };
  return (
    <Dialog title={frameTexts.review.title} onClose={onClose} isWide>
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
        <Button onPress={onClose}>{texts.cancel}</Button>
        <Button look="primary" disabled={!isFirst && found.length === 0} onPress={publish}>
          {frameTexts.review.publish}
        </Button>
      </div>
    </Dialog>
  );
}
