import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { texts } from '../../texts.ts';
import type { Draft } from '../draft.ts';

interface Publication {
  /** By default the newest one. */
  revision?: number;
  note?: string;
}

/** Publishes a revision. The toast takes it back: it publishes the revision before, or none. */
export async function publishRevision(draft: Draft, { revision, note }: Publication): Promise<void> {
  const before = draft.saved.value.publishedRevision;
  await draft.setStatus('publish', {
    ...(revision === undefined ? {} : { revision }),
    ...(note ? { note } : {}),
  });
  const published = draft.saved.value.publishedRevision ?? draft.saved.value.latestRevision;
  const undo = async () => {
    if (before === undefined) await withdraw(draft, 'unpublish');
    else {
      await draft.setStatus('publish', { revision: before });
      toast(frameTexts.review.undone(before));
    }
  };
  toast(frameTexts.review.published(published), { action: { label: texts.undo, run: undo } });
}

/** Takes the published revision back. The toast publishes it again. */
export async function withdraw(draft: Draft, action: 'unpublish' | 'archive'): Promise<void> {
  const before = draft.saved.value.publishedRevision;
  await draft.setStatus(action);
  const done = action === 'archive' ? frameTexts.review.archived : frameTexts.review.unpublished;
  toast(
    done,
    before === undefined
      ? {}
      : { action: { label: texts.undo, run: () => publishRevision(draft, { revision: before }) } },
  );
}
