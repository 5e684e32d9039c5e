import { useSignal } from '@preact/signals';
import { Button } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/field.tsx';
import { excessOf } from '../../../parts/length.tsx';
import { useRemovalFocus } from '../../../parts/removal-focus.ts';
import { galleryTexts } from '../../../texts/editor/gallery.ts';
import { pathText } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { useField, useHeldText } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';

const path = ['taxonomy', 'useCases'];

/** The use cases, as a list to add to and remove from. */
export function UseCases({ draft }: { draft: Draft }) {
  const { value, problem } = useField(draft, path);
  const added = useSignal('');
  const list = (value as string[] | undefined) ?? [];
  const { description, maxItems = 10 } = schemaAt(path);
  const set = (next: string[]) => {
    draft.change(path, next.length === 0 ? undefined : next);
    dropEmptyTaxonomy(draft);
  };
  const { maxLength } = schemaAt([...path, 0]);
  /** Adds the text in the field. One that is too long stays there, unless the field is about to disappear. */
  const add = (isLeaving = false) => {
    const text = added.value.trim();
    if (!isLeaving && excessOf(text, maxLength) > 0) return;
    const present = (draft.at(path) as string[] | undefined) ?? [];
    if (text !== '' && !present.includes(text)) set([...present, text]);
    added.value = '';
  };
  useHeldText(draft, () => add(true));
  const ref = useRemovalFocus<HTMLDivElement>('.chips button', '.add-row input');
  const itemProblems = list.map((_, i) => draft.problemAt([...path, i])).filter((one) => one !== undefined);
  return (
    <div ref={ref} class="field use-cases" data-path={pathText(path)}>
      <h3>{galleryTexts.useCases}</h3>
      <p class="help">{description}</p>
      {list.length === 0 ? null : (
        <ul class="chips">
          {list.map((name) => (
            <li key={name}>
              {name}
              {draft.isEditable ? (
                <button
                  type="button"
                  aria-label={galleryTexts.removeUseCase(name)}
                  onClick={() => set(list.filter((one) => one !== name))}
                >
                  ✕
                </button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {[problem, ...itemProblems].filter(Boolean).map((text) => (
        <p key={text} class="problem">
          {text}
        </p>
      ))}
      {!draft.isEditable ? null : list.length >= maxItems ? (
        <p class="help">{galleryTexts.mostUseCases(maxItems)}</p>
      ) : (
        <form
          class="add-row"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <TextField
            label={galleryTexts.addUseCase}
            value={added.value}
            maxLength={maxLength}
            placeholder={String(schemaAt([...path, 0]).examples?.[0] ?? '')}
            onInput={(text) => {
              added.value = text;
            }}
            onChange={() => add()}
          />
          <Button type="submit">{galleryTexts.add}</Button>
        </form>
      )}
    </div>
  );
}

/** Removes the taxonomy once it has no category left. */
function dropEmptyTaxonomy(draft: Draft): void {
  if (Object.keys(Object(draft.at(['taxonomy']))).length === 0) draft.change(['taxonomy'], undefined);
}
