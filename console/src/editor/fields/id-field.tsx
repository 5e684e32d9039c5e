import { useSignal } from '@preact/signals';
import { TextField } from '../../parts/field.tsx';
import { itemTexts } from '../../texts/editor/items.ts';
import type { Path } from '../document/path.ts';
import { helpAt, schemaAt } from '../document/schema.ts';
import type { Draft } from '../saving/draft.ts';
import { useField, useHeldText } from './fields.tsx';
import type { Item } from './list-changes.ts';

interface IdFieldProps {
  draft: Draft;
  /** The path of the item. */
  path: Path;
  idField: string;
  /** What the id is called. */
  label?: string;
  /** Changes the list when the item gets another id. Without it only the item changes. */
  renamed?: (items: readonly Item[], index: number, id: string) => readonly Item[];
}

/**
 * The id of an item. It changes when the field is left, so that references to the item do not follow every letter, and only if the new id
 * is valid and free.
 */
export function IdField({ draft, path, idField, label = itemTexts.id, renamed }: IdFieldProps) {
  const place = [...path, idField];
  const { value, problem } = useField(draft, place);
  const typed = useSignal<string | undefined>(undefined);
  const refused = useSignal<string | undefined>(undefined);
  const commit = (id: string) => {
    const list = path.slice(0, -1);
    const index = path.at(-1) as number;
    const items = (draft.at(list) as readonly Item[] | undefined) ?? [];
    // Another operator may have removed or moved the item while the id was typed.
    if (items[index]?.[idField] !== value) return;
    if (id === value) refused.value = undefined;
    else if (!new RegExp(schemaAt(place).pattern ?? '').test(id)) refused.value = itemTexts.idInvalid;
    else if (items.some((item) => item[idField] === id)) refused.value = itemTexts.idTaken(id);
    else {
      refused.value = undefined;
      typed.value = undefined;
      if (renamed === undefined) draft.change(place, id);
      else draft.change(list, renamed(items, index, id));
    }
  };
  useHeldText(draft, () => {
    if (typed.value !== undefined) commit(typed.value);
  });
  return (
    <TextField
      label={label}
      help={helpAt(place)}
      problem={refused.value ?? problem}
      value={typed.value ?? String(value ?? '')}
      maxLength={64}
      required
      disabled={!draft.isEditable}
      onInput={(text) => {
        typed.value = text;
      }}
      onChange={commit}
    />
  );
}
