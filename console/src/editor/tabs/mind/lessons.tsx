import { useSignal } from '@preact/signals';
import { TextField } from '../../../parts/field.tsx';
import { mindTexts } from '../../../texts/editor/mind.ts';
import type { Path } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { useField } from '../../fields/fields.tsx';
import { IdField } from '../../fields/id-field.tsx';
import type { ItemKind } from '../../fields/item-kind.ts';
import type { Item } from '../../fields/list-changes.ts';
import type { Draft } from '../../saving/draft.ts';
import { Columns } from './columns.tsx';
import { ofLesson } from './form.ts';
import { ListPart } from './list-part.tsx';
import { hasText, isTag, languagesOf, mindPath, type Texts } from './mind-languages.ts';
import { MindSummary } from './mind-summary.tsx';
import { firstText } from './topic-name.ts';

const texts = mindTexts.lessons;
const path = [...mindPath, ofLesson.list];

/** The phrases of a dual experience. Shown as well if there are phrases that are not used. */
export function Lessons({ draft }: { draft: Draft }) {
  const isDual = useField(draft, ['runtime', 'languages', 'dual']).value === true;
  const isEmpty = useField(draft, path).value === undefined;
  if (!isDual && isEmpty) return null;
  const note = isDual ? undefined : texts.notDual;
  return <ListPart draft={draft} path={path} kindOf={lessonKind} texts={texts} note={note} />;
}

const lessonKind = (draft: Draft): ItemKind => ({
  idField: ofLesson.id,
  noun: texts.noun,
  openUpTo: 2,
  maxItems: schemaAt(path).maxItems,
  create: (free) => ({ id: free(texts.newId), say: {} }),
  nameOf: (item) => Object.values((item.say ?? {}) as Texts).flat()[0] ?? `${texts.unnamed} (${item.id})`,
  summary: (item) => <Summary draft={draft} item={item} />,
  fields: (at) => <LessonFields draft={draft} path={at} />,
});

function Summary({ draft, item }: { draft: Draft; item: Item }) {
  const { say, gloss } = item as { say?: Texts; gloss?: Texts };
  const { all, learnt } = languagesOf(draft);
  const missing = [
    ...learnt.value.filter((one) => !hasText(say, one)),
    ...all.value.filter((one) => !hasText(gloss, one) && !isLearnt(draft, one)),
  ];
  const name = Object.values(say ?? {}).flat()[0] ?? texts.unnamed;
  return <MindSummary name={name} text={firstText(draft, gloss) ?? ''} missing={missing} />;
}

/** Whether a language is the one to learn: phrases need no translation into it. */
function isLearnt(draft: Draft, language: string): boolean {
  return languagesOf(draft).learnt.value.some((one) => hasText({ [one]: '' }, language));
}

function LessonFields({ draft, path: at }: { draft: Draft; path: Path }) {
  const { shown, learnt } = languagesOf(draft);
  const other = useSignal('');
  const languages = learnt.value.length > 0 ? learnt.value : isTag(other.value) ? [other.value] : [];
  return (
    <>
      {learnt.value.length === 0 ? (
        <TextField
          label={texts.noLanguage}
          help={mindTexts.languages.tagHelp}
          value={other.value}
          onInput={(tag) => {
            other.value = tag;
          }}
        />
      ) : null}
      <div class="item-fields">
        <Columns draft={draft} path={at} languages={languages} sides={[ofLesson.phrase]} isNamed />
        <Columns
          draft={draft}
          path={at}
          languages={shown.value.filter((one) => !isLearnt(draft, one))}
          sides={[ofLesson.meaning]}
          isNamed
        />
      </div>
      <IdField draft={draft} path={at} idField={ofLesson.id} />
    </>
  );
}
