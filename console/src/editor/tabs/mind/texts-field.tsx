import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { excessOf, lengthState } from '../../../parts/length.tsx';
import { mindTexts } from '../../../texts/editor/mind.ts';
import { languageName } from '../../document/language-name.ts';
import { type Path, pathText } from '../../document/path.ts';
import { helpAt, schemaAt } from '../../document/schema.ts';
import { linesOf, removeAt, useField } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';
import type { TextsField } from './form.ts';
import { hasText, type Texts, variantsOf } from './mind-languages.ts';

interface LanguageTextProps {
  draft: Draft;
  /** The path of the object around the field. */
  path: Path;
  field: TextsField;
  language: string;
  /** Whether the help is shown. In further columns it would repeat that of the first one. */
  hasHelp: boolean;
}

/** One field in one language: a text with its variants, or words. */
export function LanguageText(props: LanguageTextProps) {
  const { draft, path, field, language, hasHelp } = props;
  const place = [...path, field.name];
  const texts = useField(draft, place).value as Texts | undefined;
  const id = useId();
  const name = languageName(language);
  const isMissing = field.as === 'variants' && texts !== undefined && !hasText(texts, language);
  const problem = useField(draft, [...place, language]).problem;
  const text = texts?.[language];
  // Then the length note already shows the problem.
  const isTooLong = typeof text === 'string' && excessOf(text, schemaAt([...place, language]).maxLength) > 0;
  const help = field.used ?? (field.isExplained ? undefined : helpAt(place));
  return (
    <div class="field texts" data-path={pathText([...place, language])}>
      <div class="texts-label">
        <label for={`${id}-0`}>
          {field.label}
          <span class="hidden-text">{mindTexts.inLanguage(name)}</span>
        </label>
        {isMissing ? <span class="badge warn">{mindTexts.missing}</span> : null}
      </div>
      {field.as === 'lines' ? (
        <Words {...props} id={id} texts={texts} isInvalid={problem !== undefined} />
      ) : (
        <Variants {...props} id={id} texts={texts} isInvalid={problem !== undefined} />
      )}
      {help === undefined || !hasHelp ? null : (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {problem === undefined || isTooLong ? null : (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

interface InputProps extends LanguageTextProps {
  id: string;
  texts: Texts | undefined;
  isInvalid: boolean;
}

/** What a session in this language gets if there is no text in exactly this one. */
function placeholderOf(texts: Texts | undefined, language: string): string | undefined {
  if (texts === undefined || language in texts || !hasText(texts, language)) return undefined;
  const other = Object.keys(texts).find((tag) => hasText({ [tag]: '' }, language));
  return other === undefined ? undefined : mindTexts.like(languageName(other));
}

function Words({ draft, path, field, language, id, texts, isInvalid }: InputProps) {
  const written = variantsOf(texts, language);
  // The text as typed, as long as the document has its lines: a new, empty line must not vanish while typing.
  const typed = useSignal('');
  const isTyped = linesOf(typed.value).join('\n') === written.join('\n');
  const place = [...path, field.name, language];
  return (
    <textarea
      id={`${id}-0`}
      rows={2}
      lang={language}
      dir="auto"
      value={isTyped ? typed.value : written.join('\n')}
      placeholder={placeholderOf(texts, language)}
      disabled={!draft.isEditable}
      aria-invalid={isInvalid ? 'true' : undefined}
      aria-describedby={`${id}-help ${id}-problem`}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
        const lines = linesOf(currentTarget.value);
        if (lines.length === 0) removeAt(draft, place);
        else draft.change(place, lines);
      }}
    />
  );
}

function Variants({ draft, path, field, language, id, texts, isInvalid }: InputProps) {
  const root = useRef<HTMLDivElement>(null);
  /** Whether there is an empty field for another variant. It becomes part of the document with its first letter. */
  const hasExtra = useSignal(false);
  const place = [...path, field.name, language];
  const written = variantsOf(texts, language);
  const shown = written.length === 0 ? [''] : hasExtra.value ? [...written, ''] : written;
  const name = languageName(language);
  const { maxLength, maxItems = Infinity } = schemaAt(place);
  const canAdd = draft.isEditable && !field.isSingle && written.length < maxItems;
  const write = (variants: readonly string[]) => {
    if (variants.every((one) => one.trim() === '')) removeAt(draft, place);
    else if (variants.length === 1 && !Array.isArray(texts?.[language])) draft.change(place, variants[0]);
    else draft.change(place, variants);
  };
  const change = (at: number, text: string) => {
    if (at === written.length) hasExtra.value = false;
    write(at === written.length ? [...written, text] : written.map((one, n) => (n === at ? text : one)));
  };
  const dropBlanks = () => {
    const kept = written.filter((one) => one.trim() !== '');
    if (kept.length < written.length) write(kept);
  };
  return (
    <div class="variants" ref={root}>
      {shown.map((text, n) => {
        const length = lengthState(`${id}-${n}`, text, maxLength);
        const hasProblem = isInvalid || length.isTooLong || draft.problemAt([...place, n]) !== undefined;
        return (
          <Fragment key={n}>
            <div class="variant">
              <textarea
                id={`${id}-${n}`}
                rows={1}
                lang={language}
                dir="auto"
                value={text}
                placeholder={n === 0 ? placeholderOf(texts, language) : undefined}
                disabled={!draft.isEditable}
                aria-label={n === 0 ? undefined : mindTexts.variant(field.label, name, n + 1)}
                aria-invalid={hasProblem ? 'true' : undefined}
                aria-describedby={`${id}-help ${id}-problem ${length.noteId ?? ''}`}
                onInput={({ currentTarget }) => change(n, currentTarget.value)}
                onBlur={dropBlanks}
              />
              {draft.isEditable && shown.length > 1 ? (
                <button
                  type="button"
                  class="button plain icon"
                  aria-label={mindTexts.removeVariant(field.label, name, n + 1)}
                  onClick={() => {
                    if (n === written.length) hasExtra.value = false;
                    else write(written.filter((_, at) => at !== n));
                    root.current?.querySelector('textarea')?.focus();
                  }}
                >
                  ✕
                </button>
              ) : null}
            </div>
            {length.note}
          </Fragment>
        );
      })}
      {canAdd && written.length > 0 && !hasExtra.value ? (
        <button
          type="button"
          class="add-variant"
          aria-label={mindTexts.addVariantOf(field.label, name)}
          onClick={() => {
            hasExtra.value = true;
            requestAnimationFrame(() =>
              root.current?.querySelector<HTMLElement>('.variant:last-of-type textarea')?.focus(),
            );
          }}
        >
          + {mindTexts.addVariant}
        </button>
      ) : null}
    </div>
  );
}
