import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { texts } from '../../texts/texts.ts';
import type { Draft } from './draft.ts';
import { Outdated } from './save.ts';

interface Publication {
  revision: number;
  /** Of the state that the person has reviewed. */
  version: number;
  note?: string;
}

/** Publishes a revision. The toast takes it back: it publishes the revision before, or none. */
export async function publishRevision(draft: Draft, { revision, version, note }: Publication): Promise<void> {
  const before = draft.saved.value.publishedRevision;
  await draft.setStatus('publish', version, { revision, ...(note ? { note } : {}) });
  const undo = async () => {
    const present = versionToUndo(draft, revision);
    if (before === undefined) await withdraw(draft, 'unpublish', present);
    else {
      await draft.setStatus('publish', present, { revision: before });
      toast(frameTexts.review.undone(before));
    }
  };
  toast(frameTexts.review.published(revision), { action: { label: texts.undo, run: undo } });
}

/** Takes the published revision back. The toast publishes it again. */
export async function withdraw(
  draft: Draft,
  action: 'unpublish' | 'archive',
  version: number,
): Promise<void> {
  const before = draft.saved.value.publishedRevision;
  await draft.setStatus(action, version);
  const done = action === 'archive' ? frameTexts.review.archived : frameTexts.review.unpublished;
  const undo = (revision: number) => () =>
    publishRevision(draft, { revision, version: versionToUndo(draft, undefined) });
  toast(done, before === undefined ? {} : { action: { label: texts.undo, run: undo(before) } });
}

/** The present version. Throws if another operator has published, unpublished or archived the experience since. */
function versionToUndo(draft: Draft, published: number | undefined): number {
  const { version, publishedRevision, updatedBy } = draft.saved.value;
  if (publishedRevision !== published) throw new Outdated(updatedBy);
  return version;
}

/**
 * Whether a dialog that failed to change the status closes and leaves the message to a toast: the changes of another operator have to be
 * merged outside of the dialog before another attempt can succeed, or the editor was left.
 */
export function isForToast(draft: Draft, error: unknown): boolean {
  return draft.isClosed.value || (error instanceof Outdated && !error.isInDraft);
}
