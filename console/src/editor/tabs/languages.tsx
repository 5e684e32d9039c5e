import './languages/languages.css';
import { languagesTexts } from '../../texts/editor/languages.ts';
import { pathText } from '../document/path.ts';
import { helpAt, schemaAt } from '../document/schema.ts';
import { DraftSwitch, useField } from '../fields/fields.tsx';
import type { Draft } from '../saving/draft.ts';
import { AxisCards } from './languages/axis.tsx';
import { LanguageField } from './languages/language-field.tsx';
import { Simulator } from './languages/simulator.tsx';

/** How the languages of a session are chosen, and a table to try it. */
export function Languages({ draft }: { draft: Draft }) {
  const isDual = useField(draft, ['runtime', 'languages', 'dual']).value === true;
  return (
    <>
      <section class="part">
        <h2>{languagesTexts.title}</h2>
        <DraftSwitch
          draft={draft}
          path={['runtime', 'languages', 'dual']}
          label={languagesTexts.dual}
          on={languagesTexts.dualOn}
        />
        <AxisCards draft={draft} name="conversation" />
        {isDual ? <AxisCards draft={draft} name="paired" /> : null}
        <DefaultLanguage draft={draft} />
      </section>
      <Simulator draft={draft} />
    </>
  );
}

function DefaultLanguage({ draft }: { draft: Draft }) {
  const path = ['runtime', 'languages', 'default'];
  const { value, problem } = useField(draft, path);
  const { default: byDefault } = schemaAt(path);
  return (
    <div class="stack" data-path={pathText(path)}>
      <LanguageField
        label={languagesTexts.default}
        help={helpAt(path)}
        problem={problem}
        value={String(value ?? byDefault)}
        disabled={!draft.isEditable}
        onChange={(tag) => draft.change(path, tag)}
      />
    </div>
  );
}
