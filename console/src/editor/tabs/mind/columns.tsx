import type { Draft } from '../../draft.ts';
import type { Path } from '../../path.ts';
import type { TextsField } from './form.ts';
import { languageName } from './languages.ts';
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

/** Texts by language: a column for each language. */
export function Columns({ draft, path, languages, sides, isNamed = languages.length > 1 }: ColumnsProps) {
  return (
    <div class="columns">
      {languages.map((language) => (
        <div class="column" key={language}>
          {isNamed ? <p class="column-name">{languageName(language)}</p> : null}
          <div class="sides">
            {sides.map((fields) => (
              <div class="side" key={fields[0]?.name}>
                {fields.map((field) => (
                  <LanguageText
                    key={field.name}
                    draft={draft}
                    path={path}
                    field={field}
                    language={language}
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
