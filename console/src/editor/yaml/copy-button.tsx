import { Button } from '../../parts/button.tsx';
import { toast } from '../../state/toasts.ts';
import { yamlTexts } from '../../texts/editor/yaml.ts';
import type { Draft } from '../saving/draft.ts';
import { asItem } from './text.ts';

/** Copies the experience as an item of the list `experiences` of a project file. */
export function CopyButton({ draft }: { draft: Draft }) {
  const copy = async () => {
    await navigator.clipboard.writeText(asItem(draft.document.value));
    toast(yamlTexts.copied);
  };
  return <Button onPress={copy}>{yamlTexts.copy}</Button>;
}
