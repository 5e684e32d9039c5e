import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Choices, Select, TextField } from '../parts/field.tsx';
import type { Draft } from './draft.ts';
import { type Path, pathText } from './path.ts';
import { isRequired, schemaAt } from './schema.ts';

interface DraftFieldProps {
  draft: Draft;
  path: Path;
  label: string;
}

/** The value and the problem at a path. The component renders again only if one of them changes. */
export function useField(draft: Draft, path: Path): { value: unknown; problem: string | undefined } {
  const value = useComputed(() => draft.at(path));
  const problem = useComputed(() => draft.problemAt(path));
  return { value: value.value, problem: problem.value };
}

/** Marks the field at a path, so that the list of problems can move the focus to it. */
export function FieldPlace({ path, children }: { path: Path; children: ComponentChildren }) {
  return (
    <div class="field-place" data-path={pathText(path)}>
      {children}
    </div>
  );
}

/** A text of the document. An optional text that is emptied is removed. */
export function DraftText({ draft, path, label, rows }: DraftFieldProps & { rows?: number }) {
  const { value, problem } = useField(draft, path);
  const { description, maxLength, examples } = schemaAt(path);
  return (
    <FieldPlace path={path}>
      <TextField
        label={label}
        help={description}
        problem={problem}
        value={(value as string | undefined) ?? ''}
        placeholder={typeof examples?.[0] === 'string' ? examples[0] : undefined}
        required={isRequired(path)}
        maxLength={maxLength}
        rows={rows}
        disabled={!draft.isEditable}
        onInput={(text) => draft.change(path, text === '' && !isRequired(path) ? undefined : text)}
      />
    </FieldPlace>
  );
}

/** A whole number of the document. Text that is not a number stays in the document, and the service says what is wrong with it. */
export function DraftNumber({ draft, path, label }: DraftFieldProps) {
  const { value, problem } = useField(draft, path);
  const { description, default: byDefault } = schemaAt(path);
  return (
    <FieldPlace path={path}>
      <TextField
        label={label}
        help={description}
        problem={problem}
        type="number"
        value={value === undefined ? '' : String(value)}
        placeholder={byDefault === undefined ? undefined : String(byDefault)}
        disabled={!draft.isEditable}
        onInput={(text) => {
          const number = Number(text);
          draft.change(path, text === '' ? undefined : Number.isNaN(number) ? text : number);
        }}
      />
    </FieldPlace>
  );
}

/** A choice of the schema's values. `labels` says them in words. */
export function DraftSelect({
  draft,
  path,
  label,
  labels,
}: DraftFieldProps & { labels: Record<string, string> }) {
  const { value, problem } = useField(draft, path);
  const { description, default: byDefault } = schemaAt(path);
  return (
    <FieldPlace path={path}>
      <Select
        label={label}
        help={description}
        problem={problem}
        value={String(value ?? byDefault)}
        options={Object.entries(labels).map(([option, text]) => ({ value: option, label: text }))}
        disabled={!draft.isEditable}
        onChange={(chosen) => draft.change(path, chosen)}
      />
    </FieldPlace>
  );
}

/** Something that is on or off. */
export function DraftSwitch({ draft, path, label, on }: DraftFieldProps & { on: string }) {
  const { value, problem } = useField(draft, path);
  return (
    <FieldPlace path={path}>
      <Choices
        label={label}
        help={schemaAt(path).description}
        problem={problem}
        type="checkbox"
        options={[{ value: 'on', label: on }]}
        chosen={value === true ? ['on'] : []}
        disabled={!draft.isEditable}
        onChange={(chosen) => draft.change(path, chosen.length > 0)}
      />
    </FieldPlace>
  );
}
