import './mind/mind.css';
import { useId } from 'preact/hooks';
import { mindTexts } from '../../texts/editor/mind.ts';
import { helpAt } from '../document/schema.ts';
import { DraftText } from '../fields/fields.tsx';
import type { Draft } from '../saving/draft.ts';
import { Columns } from './mind/columns.tsx';
import { ofMind, ofRealtime } from './mind/form.ts';
import { LanguageBar } from './mind/language-bar.tsx';
import { Lessons } from './mind/lessons.tsx';
import { languagesOf, mindPath } from './mind/mind-languages.ts';
import { Presentation } from './mind/presentation.tsx';
import { Tools } from './mind/tools.tsx';
import { Topics } from './mind/topics.tsx';

/** What the characters know and say. */
export function Mind({ draft }: { draft: Draft }) {
  const id = useId();
  return (
    <div class="stack">
      <LanguageBar draft={draft} />
      <Spoken draft={draft} name={ofMind.greeting} />
      <Presentation draft={draft} />
      <Lessons draft={draft} />
      <Topics draft={draft} />
      <Spoken draft={draft} name={ofMind.fallback} />
      <Tools draft={draft} />
      <section class="part" aria-labelledby={id}>
        <div class="part-head">
          <h2 id={id}>{mindTexts.persona.heading}</h2>
          <p class="soft">{mindTexts.persona.used}</p>
        </div>
        <DraftText
          draft={draft}
          path={[...mindPath, ofMind.persona]}
          label={mindTexts.persona.label}
          rows={4}
        />
        {Object.values(ofRealtime).map((name) => (
          <DraftText
            key={name}
            draft={draft}
            path={[...mindPath, 'realtime', name]}
            label={mindTexts.realtime[name]}
          />
        ))}
      </section>
    </div>
  );
}

/** A text of the mind that is not part of a list. */
function Spoken({ draft, name }: { draft: Draft; name: 'greeting' | 'fallback' }) {
  const id = useId();
  const { heading, label, used } = mindTexts[name];
  const { all, shown } = languagesOf(draft);
  return (
    <section class="part" aria-labelledby={id}>
      <div class="part-head">
        <h2 id={id}>{heading}</h2>
        <p class="soft">
          {helpAt([...mindPath, name])} {used}
        </p>
      </div>
      <Columns
        draft={draft}
        path={mindPath}
        languages={shown.value}
        isNamed={all.value.length > 1}
        sides={[[{ name, label, as: 'variants', isExplained: true }]]}
      />
    </section>
  );
}
