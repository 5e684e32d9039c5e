import { type Signal, untracked, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { TextField } from '../../../parts/field.tsx';
import { mindTexts } from '../../../texts/editor/mind.ts';
import type { Path } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { IdField } from '../../fields/id-field.tsx';
import type { ItemKind } from '../../fields/item-kind.ts';
import { ItemList } from '../../fields/item-list.tsx';
import type { Item } from '../../fields/list-changes.ts';
import type { Draft } from '../../saving/draft.ts';
import { AfterAnswer } from './after-answer.tsx';
import { Columns } from './columns.tsx';
import { ofTopic } from './form.ts';
import { ListPart } from './list-part.tsx';
import { hasText, languagesOf, mindPath, type Texts } from './mind-languages.ts';
import { MindSummary } from './mind-summary.tsx';
import { QuestionCheck } from './question-check.tsx';
import { renamedTopic, topicPutBack, withoutTopic } from './topic-changes.ts';
import { firstText, topicName } from './topic-name.ts';

const texts = mindTexts.topics;
const path = [...mindPath, ofTopic.list];
/** Lists with more topics than this can be searched. */
const searchedFrom = 8;

export function Topics({ draft }: { draft: Draft }) {
  const search = useSignal('');
  const showAll = () => {
    search.value = '';
  };
  return (
    <ListPart draft={draft} path={path} kindOf={topicKind} texts={texts} onAdd={showAll}>
      {({ kind, count, reveal }) => (
        <>
          {count > 0 ? (
            <QuestionCheck
              draft={draft}
              onShow={(id) => {
                showAll();
                reveal.value = id;
              }}
            />
          ) : null}
          <FoundTopics draft={draft} kind={kind} count={count} search={search} reveal={reveal} />
        </>
      )}
    </ListPart>
  );
}

interface FoundTopicsProps {
  draft: Draft;
  kind: ItemKind;
  count: number;
  search: Signal<string>;
  reveal: Signal<string | undefined>;
}

function FoundTopics({ draft, kind, count, search, reveal }: FoundTopicsProps) {
  const wanted = search.value.trim().toLowerCase();
  // Found when the search changes, not while a topic is edited: the topic would vanish under the cursor.
  const shown = useMemo(
    () => (wanted === '' ? undefined : untracked(() => idsWith(draft, wanted))),
    [wanted],
  );
  return (
    <>
      {count > searchedFrom ? (
        <div class="topic-search">
          <TextField
            label={texts.search}
            type="search"
            value={search.value}
            help={shown === undefined ? undefined : `${texts.found(shown.size, count)}. ${texts.hidden}`}
            onInput={(text) => {
              search.value = text;
            }}
          />
        </div>
      ) : null}
      <ItemList draft={draft} path={path} kind={kind} shown={shown} reveal={reveal} />
    </>
  );
}

/** The ids of the topics whose texts contain a text. */
function idsWith(draft: Draft, wanted: string): ReadonlySet<string> {
  const topics = (draft.at(path) as readonly Item[] | undefined) ?? [];
  const found = topics.filter(({ id, ask, words, tell }) =>
    JSON.stringify([id, ask, words, tell]).toLowerCase().includes(wanted),
  );
  return new Set(found.map(({ id }) => String(id)));
}

const topicKind = (draft: Draft): ItemKind => ({
  idField: ofTopic.id,
  noun: texts.noun,
  openUpTo: 3,
  maxItems: schemaAt(path).maxItems,
  create: (free) => ({ id: free(texts.newId) }),
  nameOf: (item) => firstText(draft, item.ask) ?? `${texts.unnamed} (${item.id})`,
  summary: (item) => <Summary draft={draft} item={item} />,
  fields: (at) => <TopicFields draft={draft} path={at} />,
  without: withoutTopic,
  putBack: topicPutBack,
});

function Summary({ draft, item }: { draft: Draft; item: Item }) {
  const { ask, tell, then } = item as { ask?: Texts; tell?: Texts; then?: string[] | { tool?: unknown } };
  const missing = languagesOf(draft).all.value.filter((one) => !hasText(ask, one) || !hasText(tell, one));
  return (
    <MindSummary
      name={topicName(draft, item)}
      text={firstText(draft, tell) ?? texts.noAnswer}
      missing={missing}
      badge={badgeOf(item.id, then)}
    />
  );
}

function badgeOf(id: unknown, then: string[] | { tool?: unknown } | undefined): string | undefined {
  if (Array.isArray(then)) return then.includes(String(id)) ? texts.thread : undefined;
  return then === undefined ? undefined : texts.calls(String(then.tool));
}

function TopicFields({ draft, path: at }: { draft: Draft; path: Path }) {
  const { all, shown } = languagesOf(draft);
  return (
    <>
      <Columns
        draft={draft}
        path={at}
        languages={shown.value}
        isNamed={all.value.length > 1}
        sides={[ofTopic.question, ofTopic.answer]}
      />
      <div class="item-fields more">
        <AfterAnswer draft={draft} path={at} />
        <IdField draft={draft} path={at} idField={ofTopic.id} renamed={renamedTopic} />
      </div>
    </>
  );
}
