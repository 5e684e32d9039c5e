import { type Signal, useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { differences } from '../document/differences.ts';
import { DifferenceList } from '../review/difference-list.tsx';
import { discardUnsaved } from '../saving/discard-unsaved.ts';
import type { Draft } from '../saving/draft.ts';
import type { FoundUnsaved } from '../saving/keep-draft.ts';
import { resumeUnsaved } from '../saving/resume.ts';
import { MergeCancelled } from '../saving/save.ts';
import { forget } from '../saving/unsaved.ts';

interface UnsavedNoticeProps {
  draft: Draft;
  found: Signal<readonly FoundUnsaved[]>;
}

/** Offers changes that were not saved when the editor was last open. */
export function UnsavedNotice({ draft, found }: UnsavedNoticeProps) {
  const [first] = found.value;
  if (first === undefined) return null;
  const { key, value } = first;
  const resume = async () => {
    if (!(await isMerged(resumeUnsaved(draft, value)))) return;
    found.value = found.value.filter((one) => one.key !== key);
    // The changes are now in this draft, which keeps them itself.
    await forget(key);
  };
  return (
    <div class="editor-notice" role="status">
      <p>
        {frameTexts.unsaved.text} <Time at={value.at} />.
        {value.version === draft.saved.value.version ? null : ` ${frameTexts.unsaved.older}`}
      </p>
      <span class="row">
        {/* A save in flight takes over its result on the assumption that the saved version stays. */}
        <Button look="primary" disabled={draft.isSaving.value} onPress={resume}>
          {frameTexts.unsaved.continue}
        </Button>
        <Button label={frameTexts.unsaved.discardLabel} onPress={() => discardUnsaved(found, first, draft)}>
          {frameTexts.unsaved.discard}
        </Button>
      </span>
    </div>
  );
}

/** Announces that another operator changed the experience while it is edited here. */
export function NewerNotice({ draft }: { draft: Draft }) {
  const isShown = useSignal(false);
  const state = draft.newer.value;
  if (state === undefined || state.version <= draft.saved.value.version) return null;
  const documents = [draft.saved.value.experience, state.experience];
  const takeOver = async () => {
    if (await isMerged(draft.mergeNewer())) toast(frameTexts.newer.merged);
  };
  const isFile = state.managedBy === 'file';
  return (
    <div class="editor-notice urgent" role="status">
      <p>
        {isFile
          ? frameTexts.newer.file(state.source ?? state.updatedBy)
          : frameTexts.newer.text(state.updatedBy)}{' '}
        <Time at={state.updatedAt} />.
      </p>
      <span class="row">
        <Button onPress={() => set(isShown, true)}>{frameTexts.newer.show}</Button>
        <Button look="primary" onPress={takeOver}>
          {frameTexts.newer.take}
        </Button>
      </span>
      {isShown.value ? (
        <Dialog
          title={frameTexts.newer.shownTitle(state.updatedBy)}
          onClose={() => set(isShown, false)}
          isWide
        >
          <DifferenceList differences={differences(documents[0], documents[1])} documents={documents} />
        </Dialog>
      ) : null}
    </div>
  );
}

/** Whether a merge was finished, and not cancelled. */
async function isMerged(merging: Promise<void>): Promise<boolean> {
  try {
    await merging;
    return true;
  } catch (error) {
    if (error instanceof MergeCancelled) return false;
    throw error;
  }
}
