import { useSignal } from '@preact/signals';
import { TextField } from '../../parts/field.tsx';
import { itemTexts } from '../../texts/editor/items.ts';
import { type Path, pathText } from '../document/path.ts';
import { helpAt, schemaAt } from '../document/schema.ts';
import type { Draft } from '../saving/draft.ts';
import { FieldPlace, removeAt, useField } from './fields.tsx';

interface DraftJsonProps {
  draft: Draft;
  path: Path;
  label: string;
  rows: number;
}

/** An object of the document as JSON. Text that is not JSON stays in the document, which cannot be saved with it. */
export function DraftJson({ draft, path, label, rows }: DraftJsonProps) {
  const { value, problem } = useField(draft, path);
  // The text as typed, as long as the document has its value: it must not be formatted while typing.
  const typed = useSignal('');
  const isTyped = JSON.stringify(parsed(typed.value)) === JSON.stringify(value);
  const [example] = schemaAt(path).examples ?? [];
  return (
    <FieldPlace path={path}>
      <TextField
        label={label}
        help={helpAt(path)}
        problem={typeof value === 'string' ? itemTexts.notJson : (problem ?? problemInside(draft, path))}
        disabled={!draft.isEditable}
        value={isTyped ? typed.value : written(value)}
        placeholder={example === undefined ? undefined : written(example)}
        rows={rows}
        onInput={(text) => {
          typed.value = text;
          const next = parsed(text);
          if (next === undefined) removeAt(draft, path);
          else draft.change(path, next);
        }}
      />
    </FieldPlace>
  );
}

/** The first problem within the value, with its place. */
function problemInside(draft: Draft, path: Path): string | undefined {
  const place = pathText(path);
  const found = draft.problems.value.find((one) => one.path.startsWith(`${place}.`));
  return found === undefined ? undefined : `${found.path.slice(place.length + 1)} ${found.message}`;
}

function written(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The value of JSON; other text as it is. */
function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
