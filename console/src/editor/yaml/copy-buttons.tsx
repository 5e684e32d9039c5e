import { Button } from '../../parts/button.tsx';
import { toast } from '../../state/toasts.ts';
import { yamlTexts } from '../../texts/editor/yaml.ts';
import type { Draft } from '../draft.ts';
import { unifiedPatch } from './patch.ts';
import { asItem } from './text.ts';

/** Copies what to put into a project file: the whole experience, or the differences. */
export function CopyButtons({ draft }: { draft: Draft }) {
  const { live, experience, managedBy, source } = draft.saved.value;
  const file = source?.replace(/@[^@]*$/, '') || 'project.yaml';
  // The document of the last applied file if the console has saved nothing since; otherwise the published one.
  const before = managedBy === 'file' ? experience : (live ?? experience);
  const copy = async () => {
    await navigator.clipboard.writeText(asItem(draft.document.value));
    toast(yamlTexts.copied);
  };
  const copyPatch = async () => {
    const patch = unifiedPatch(asItem(before), asItem(draft.document.value), file);
    if (patch === '') {
      toast(yamlTexts.noPatch);
      return;
    }
    await navigator.clipboard.writeText(patch);
    toast(yamlTexts.copiedPatch);
  };
  return (
    <span class="row">
      <Button onPress={copy}>{yamlTexts.copy}</Button>
      {source === undefined ? null : <Button onPress={copyPatch}>{yamlTexts.copyPatch}</Button>}
    </span>
  );
}
