import { languageName } from '../../document/language-name.ts';
import type { Path } from '../../document/path.ts';
import type { Draft } from '../../saving/draft.ts';
import type { TextsField } from './form.ts';
import { LanguageText } from './texts-field.tsx';

interface ColumnsProps {
  draft: Draft;
  path: Path;
  languages: readonly string[];
  /** Groups of fields, side by side where there is room. */
  sides: readonly (readonly TextsField[])[];
  /** Whether the names of the languages are shown even if there is only one. */
  isNamed?: boolean;
}

/** Texts by language: a column for each language, or the fields side by side if there is only one. */
export function Columns({ draft, path, languages, sides, isNamed = languages.length > 1 }: ColumnsProps) {
  const groups = languages.length > 1 ? [sides.flat()] : sides;
  // The same fields of all languages are in line.
  const rows = languages.length > 1 ? `rows-${sides.flat().length + (isNamed ? 1 : 0)}` : '';
  return (
    <div class="mind-columns">
      {languages.map((language, n) => (
        <div class={`mind-column ${rows}`} key={language}>
          {isNamed ? <p class="mind-column-name">{languageName(language)}</p> : null}
          <div class="mind-sides">
            {groups.map((fields) => (
              <div class="mind-side" key={fields[0]?.name}>
                {fields.map((field) => (
                  <LanguageText
                    key={field.name}
                    draft={draft}
                    path={path}
                    field={field}
                    language={language}
                    hasHelp={n === 0}
                  />
                ))}
              </div>
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
