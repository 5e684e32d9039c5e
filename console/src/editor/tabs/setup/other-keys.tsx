import { setupTexts } from '../../../texts/editor/setup.ts';
import type { Path } from '../../document/path.ts';
import { useField } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';

/** Names the keys of a free-form object that the form does not show. They are kept. */
export function OtherKeys({ draft, path, known }: { draft: Draft; path: Path; known: readonly string[] }) {
  const { value } = useField(draft, path);
  const others = Object.keys(value ?? {}).filter((name) => !known.includes(name));
  return others.length === 0 ? null : (
    <p class="soft other-keys">{setupTexts.characters.more(others.join(', '))}</p>
  );
}
