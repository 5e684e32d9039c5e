import { batch, type Signal, useSignal } from '@preact/signals';
import type { ExperienceState } from '@session-launch/contract/admin/experience-schemas';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import { set } from '../../state/set.ts';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { differences } from '../document/differences.ts';
import { merge } from '../document/merge.ts';
import type { Draft, Experience } from '../draft.ts';
import { discardUnsaved } from '../saving/discard-unsaved.ts';
import type { FoundUnsaved } from '../saving/keep-draft.ts';
import { MergeCancelled } from '../saving/save.ts';
import { forget } from '../saving/unsaved.ts';
import { DifferenceList } from './difference-list.tsx';

/** A state that is newer than the saved one. */
export type Newer = Signal<ExperienceState | undefined>;

interface UnsavedNoticeProps {
  draft: Draft;
  found: Signal<readonly FoundUnsaved[]>;
  newer: Newer;
}

/** Offers changes that were not saved when the editor was last open. */
export function UnsavedNotice({ draft, found, newer }: UnsavedNoticeProps) {
  const [first] = found.value;
  if (first === undefined) return null;
  const { key, value } = first;
  const remove = () => {
    found.value = found.value.filter((one) => one.key !== key);
  };
  const resume = async () => {
    batch(() => {
      const { saved, document, text } = draft;
      const present = saved.value;
      document.value = merge(present.experience as Experience, document.value, value.document).document;
      text.value ??= value.text;
      // Continues from the state that the changes were made to. Later changes by others are merged as if they had just arrived.
      if (value.version !== present.version) {
        saved.value = { ...present, version: value.version, experience: value.base };
        newer.value = present;
      }
    });
    remove();
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
        <Button look="primary" onPress={resume}>
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
export function NewerNotice({ draft, newer }: { draft: Draft; newer: Newer }) {
  const isShown = useSignal(false);
  const state = newer.value;
  if (state === undefined || state.version <= draft.saved.value.version) return null;
  const documents = [draft.saved.value.experience, state.experience];
  const takeOver = async () => {
    const { clashes } = merge<unknown>(draft.saved.value.experience, draft.document.value, state.experience);
    try {
      if (clashes.length > 0) await draft.mergeWith(state);
      else draft.takeOver(state);
      newer.value = undefined;
      toast(frameTexts.newer.merged);
    } catch (error) {
      if (!(error instanceof MergeCancelled)) throw error;
    }
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
