import { computed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Choices, Select, TextField } from '../../parts/field.tsx';
import { type Path, pathText } from '../document/path.ts';
import { helpAt, isRequired, schemaAt } from '../document/schema.ts';
import type { Draft } from '../saving/draft.ts';

interface DraftFieldProps {
  draft: Draft;
  path: Path;
  label: string;
}

/** The value and the problem at a path. The component renders again only if one of them changes. */
export function useField(draft: Draft, path: Path): { value: unknown; problem: string | undefined } {
  // Created anew for another path: an existing `useComputed` would keep the value of the old one.
  const [value, problem] = useMemo(
    () => [computed(() => draft.at(path)), computed(() => draft.problemAt(path))],
    [draft, pathText(path)],
  );
  return { value: value.value, problem: problem.value };
}

/** Registers `commit`, which writes text that a field has not committed yet to the document. Called by `leaveFields` and on unmount. */
export function useHeldText(draft: Draft, commit: () => void): void {
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => {
    const call = () => latest.current();
    draft.held.add(call);
    return () => {
      call();
      draft.held.delete(call);
    };
  }, [draft]);
}

/** Marks the field at a path, so that the list of problems can move the focus to it. */
export function FieldPlace({ path, children }: { path: Path; children: ComponentChildren }) {
  return (
    <div class="field-place" data-path={pathText(path)}>
      {children}
    </div>
  );
}

/** Removes the value at a path, and the optional objects around it that are empty without it. */
export function removeAt(draft: Draft, path: Path): void {
  let removed = path;
  while (removed.length > 1) {
    const parent = removed.slice(0, -1);
    const value = draft.at(parent);
    const isLast =
      typeof value === 'object' &&
      value !== null &&
      Object.keys(value).every((name) => name === removed.at(-1));
    if (!isLast || Array.isArray(value) || typeof parent.at(-1) === 'number' || isRequired(parent)) break;
    removed = parent;
  }
  if (draft.at(removed) !== undefined) draft.change(removed, undefined);
}

/** The value at a path, and the properties that all fields of the document have. */
function useShared({ draft, path, label }: DraftFieldProps) {
  const { value, problem } = useField(draft, path);
  return { value, shared: { label, help: helpAt(path), problem, disabled: !draft.isEditable } };
}

interface DraftTextProps extends DraftFieldProps {
  rows?: number | undefined;
  /** Instead of the description in the schema. */
  help?: string | undefined;
  /** Instead of the example in the schema. */
  example?: string | undefined;
}

/** A text of the document. An optional text that is emptied is removed. */
export function DraftText({ draft, path, label, rows, help, example }: DraftTextProps) {
  const { value, shared } = useShared({ draft, path, label });
  const { maxLength, examples } = schemaAt(path);
  const shown = example ?? examples?.[0];
  return (
    <FieldPlace path={path}>
      <TextField
        {...shared}
        help={help ?? shared.help}
        value={value === undefined ? '' : String(value)}
        placeholder={typeof shown === 'string' ? shown : undefined}
        required={isRequired(path)}
        maxLength={maxLength}
        rows={rows}
        onInput={(text) =>
          text === '' && !isRequired(path) ? removeAt(draft, path) : draft.change(path, text)
        }
      />
    </FieldPlace>
  );
}

/** A number of the document. Text that is not a number stays in the document, and the service reports it as a problem. */
export function DraftNumber({ draft, path, label }: DraftFieldProps) {
  const { value, shared } = useShared({ draft, path, label });
  const { default: byDefault } = schemaAt(path);
  // The text as typed, as long as the document has its value: "1." and "1.0" must not become "1" while typing.
  const typed = useSignal('');
  const shown = parsed(typed.value) === value ? typed.value : value === undefined ? '' : String(value);
  return (
    <FieldPlace path={path}>
      <TextField
        {...shared}
        value={shown}
        placeholder={byDefault === undefined ? undefined : String(byDefault)}
        onInput={(text) => {
          typed.value = text;
          const number = parsed(text);
          if (number === undefined) removeAt(draft, path);
          else draft.change(path, number);
        }}
      />
    </FieldPlace>
  );
}

function parsed(text: string): number | string | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text.replace(',', '.'));
  return Number.isNaN(number) ? text : number;
}

/** A select field for the values of the schema. `labels` has the text that is shown for each value. */
export function DraftSelect({
  draft,
  path,
  label,
  labels,
}: DraftFieldProps & { labels: Record<string, string> }) {
  const { value, shared } = useShared({ draft, path, label });
  const { default: byDefault } = schemaAt(path);
  const chosen = String(value ?? byDefault);
  // A value that is not in the list is shown as it is written, instead of another one.
  const options = chosen in labels ? labels : { ...labels, [chosen]: chosen };
  return (
    <FieldPlace path={path}>
      <Select
        {...shared}
        value={chosen}
        options={Object.entries(options).map(([option, text]) => ({ value: option, label: text }))}
        onChange={(next) => draft.change(path, next)}
      />
    </FieldPlace>
  );
}

/** A checkbox for a boolean field of the document. */
export function DraftSwitch({ draft, path, label, on }: DraftFieldProps & { on: string }) {
  const { value, shared } = useShared({ draft, path, label });
  return (
    <FieldPlace path={path}>
      <Choices
        {...shared}
        type="checkbox"
        options={[{ value: 'on', label: on }]}
        chosen={value === true ? ['on'] : []}
        onChange={(chosen) => draft.change(path, chosen.length > 0)}
      />
    </FieldPlace>
  );
}

/** A list of texts, one on each line. */
export function DraftLines({ draft, path, label }: DraftFieldProps) {
  const { value, shared } = useShared({ draft, path, label });
  // The text as typed, as long as the document has its lines: a new, empty line must not vanish while typing.
  const typed = useSignal('');
  const written = Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)];
  const isTyped = written.join('\n') === linesOf(typed.value).join('\n');
  const { examples } = schemaAt(path);
  return (
    <FieldPlace path={path}>
      <TextField
        {...shared}
        problem={shared.problem ?? written.map((_, n) => draft.problemAt([...path, n])).find(Boolean)}
        value={isTyped ? typed.value : written.join('\n')}
        placeholder={Array.isArray(examples?.[0]) ? examples[0].join('\n') : undefined}
        rows={2}
        onInput={(text) => {
          typed.value = text;
          const lines = linesOf(text);
          if (lines.length === 0) removeAt(draft, path);
          else draft.change(path, lines);
        }}
      />
    </FieldPlace>
  );
}

/** The lines of a text that are not blank. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A field of a form as data, so that a test can compare the forms with the schema. */
export type FormField = { path: Path; label: string } & (
  | { as: 'text'; rows?: number; help?: string; example?: string }
  | { as: 'number' }
  | { as: 'lines' }
  | { as: 'select'; labels: Record<string, string> }
);

/** The fields of a form. Their paths begin at `base`. */
export function DraftFields({
  draft,
  base = [],
  fields,
}: {
  draft: Draft;
  base?: Path;
  fields: readonly FormField[];
}) {
  return (
    <>
      {fields.map((field) => {
        const shared = { draft, path: [...base, ...field.path], label: field.label };
        const key = pathText(field.path);
        if (field.as === 'text')
          return (
            <DraftText key={key} {...shared} rows={field.rows} help={field.help} example={field.example} />
          );
        if (field.as === 'number') return <DraftNumber key={key} {...shared} />;
        if (field.as === 'lines') return <DraftLines key={key} {...shared} />;
        return <DraftSelect key={key} {...shared} labels={field.labels} />;
      })}
    </>
  );
}
