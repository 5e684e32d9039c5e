import { mindTexts } from '../../../texts/editor/mind.ts';
import type { Path } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { useField } from '../../fields/fields.tsx';
import { IdField } from '../../fields/id-field.tsx';
import type { ItemKind } from '../../fields/item-kind.ts';
import type { Item } from '../../fields/list-changes.ts';
import type { Draft } from '../../saving/draft.ts';
import { Columns } from './columns.tsx';
import { ofSection } from './form.ts';
import { ListPart } from './list-part.tsx';
import { hasText, languagesOf, mindPath, type Texts } from './mind-languages.ts';
import { MindSummary } from './mind-summary.tsx';
import { firstText } from './topic-name.ts';

const texts = mindTexts.presentation;
const path = [...mindPath, ofSection.list];

/** The sections of presenter mode. Shown as well if there are sections that are not used. */
export function Presentation({ draft }: { draft: Draft }) {
  const isPresenter = useField(draft, ['runtime', 'mode']).value === 'presenter';
  const isEmpty = useField(draft, path).value === undefined;
  if (!isPresenter && isEmpty) return null;
  const note = isPresenter ? undefined : texts.notPresenter;
  return <ListPart draft={draft} path={path} kindOf={sectionKind} texts={texts} note={note} />;
}

const sectionKind = (draft: Draft): ItemKind => ({
  idField: ofSection.id,
  noun: texts.noun,
  openUpTo: 2,
  maxItems: schemaAt(path).maxItems,
  create: (free) => ({ id: free(texts.newId) }),
  nameOf: (item) => firstText(draft, item.title) ?? `${texts.unnamed} (${item.id})`,
  summary: (item) => <Summary draft={draft} item={item} />,
  fields: (at) => <SectionFields draft={draft} path={at} />,
});

function Summary({ draft, item }: { draft: Draft; item: Item }) {
  const { title, tell } = item as { title?: Texts; tell?: Texts };
  const missing = languagesOf(draft).all.value.filter((one) => !hasText(title, one) || !hasText(tell, one));
  const name = firstText(draft, title) ?? texts.unnamed;
  return <MindSummary name={name} text={firstText(draft, tell) ?? ''} missing={missing} />;
}

function SectionFields({ draft, path: at }: { draft: Draft; path: Path }) {
  const { all, shown } = languagesOf(draft);
  return (
    <>
      <Columns
        draft={draft}
        path={at}
        languages={shown.value}
        isNamed={all.value.length > 1}
        sides={[ofSection.heading, ofSection.text]}
      />
      <IdField draft={draft} path={at} idField={ofSection.id} />
    </>
  );
}
