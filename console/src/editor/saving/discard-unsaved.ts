import type { Signal } from '@preact/signals';
import { toast } from '../../state/toasts.ts';
import { frameTexts } from '../../texts/editor/frame.ts';
import { texts } from '../../texts/texts.ts';
import type { FoundUnsaved } from './keep-draft.ts';
import { forget, keep } from './unsaved.ts';

/** Discards unsaved changes. The toast brings them back. */
export async function discardUnsaved(
  found: Signal<readonly FoundUnsaved[]>,
  one: FoundUnsaved,
  owner?: object,
): Promise<void> {
  const { key, value } = one;
  found.value = found.value.filter((other) => other.key !== key);
  await forget(key);
  const restore = async () => {
    await keep(key, value);
    found.value = [...found.value, one];
  };
  const action = { label: texts.undo, run: restore };
  toast(frameTexts.unsaved.discarded, { action, ...(owner && { owner }) });
}
