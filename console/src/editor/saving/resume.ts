import { batch } from '@preact/signals';
import { frameTexts } from '../../texts/editor/frame.ts';
import { merge } from '../document/merge.ts';
import type { Experience } from '../document/model.ts';
import { sharing } from '../document/same.ts';
import type { Draft } from './draft.ts';
import type { Unsaved } from './keep-draft.ts';

/**
 * Puts earlier unsaved changes into the draft. If the draft has changes, too, merges both; opens the conflict dialog if both changed the
 * same field. Rejects with `MergeCancelled` if that is closed, and with another error if there is YAML text with errors, which cannot be
 * merged; the draft is then unchanged.
 */
export async function resumeUnsaved(draft: Draft, unsaved: Unsaved): Promise<void> {
  draft.finishTyping();
  if (!draft.isChanged.value) return replaceDraft(draft, unsaved);
  if (draft.text.value !== undefined) throw new Error(frameTexts.notYaml);
  if (unsaved.text !== undefined) throw new Error(frameTexts.unsaved.notYaml);
  const { version, experience } = draft.saved.value;
  // The older one of both, so that a change that another operator made in between is a change of the side that has it.
  const base = unsaved.version < version ? unsaved.base : (experience as Experience);
  const theirs = unsaved.document;
  const { clashes } = merge(base, draft.document.value, theirs);
  const choices =
    clashes.length === 0 ? {} : await draft.choose({ base, theirs, by: undefined, at: unsaved.at });
  // The saved version stays: a save finds changes of others that the draft was not merged with.
  const { document } = draft;
  document.value = sharing(document.value, merge(base, document.value, theirs, choices).document);
}

/** Continues from the state that the changes were made to. Later changes by others are merged as if they had just arrived. */
function replaceDraft(draft: Draft, { version, base, document, text }: Unsaved): void {
  const present = draft.saved.value;
  batch(() => {
    if (version !== present.version) {
      draft.saved.value = { ...present, version, experience: base };
      draft.newer.value = present;
    }
    draft.document.value = sharing(draft.saved.value.experience, document);
    draft.text.value = text;
  });
}
