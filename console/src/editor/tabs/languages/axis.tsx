import { useId } from 'preact/hooks';
import { languagesTexts } from '../../../texts/editor/languages.ts';
import { pathText } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { useField } from '../../fields/fields.tsx';
import type { Draft } from '../../saving/draft.ts';
import { LanguageField } from './language-field.tsx';

type Axis = 'match' | { fixed: string };

/** Match or Fixed for one of the two languages. */
export function AxisCards({ draft, name }: { draft: Draft; name: 'conversation' | 'paired' }) {
  const path = ['runtime', 'languages', name];
  const { value, problem } = useField(draft, path);
  const fixedProblem = useField(draft, [...path, 'fixed']).problem;
  const id = useId();
  const axis = (value ?? schemaAt(path).default ?? 'match') as Axis;
  const fixed = typeof axis === 'object' ? axis.fixed : undefined;
  const byDefault = () => String(draft.at(['runtime', 'languages', 'default']) ?? 'en');
  return (
    <fieldset
      class="axis"
      data-path={pathText(path)}
      disabled={!draft.isEditable}
      aria-describedby={problem && `${id}-problem`}
    >
      <legend>{languagesTexts.axes[name]}</legend>
      <div class="cards-of-two">
        <label>
          <input
            type="radio"
            name={id}
            checked={fixed === undefined}
            onChange={() => draft.change(path, 'match')}
          />
          <span>
            <strong>{languagesTexts.match}</strong>
            <span class="soft">{languagesTexts.matchText[name]}</span>
          </span>
        </label>
        <label>
          <input
            type="radio"
            name={id}
            checked={fixed !== undefined}
            onChange={() => draft.change(path, { fixed: fixed ?? byDefault() })}
          />
          <span>
            <strong>{languagesTexts.fixed}</strong>
            <span class="soft">{languagesTexts.fixedText[name]}</span>
          </span>
        </label>
      </div>
      {fixed === undefined ? null : (
        <LanguageField
          label={languagesTexts.fixedLanguage[name]}
          problem={fixedProblem ?? problem}
          value={fixed}
          disabled={!draft.isEditable}
          onChange={(tag) => draft.change(path, { fixed: tag })}
        />
      )}
      {problem !== undefined && fixed === undefined ? (
        <p class="bad" id={`${id}-problem`}>
          {problem}
        </p>
      ) : null}
    </fieldset>
  );
}
