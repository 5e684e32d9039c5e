import { computed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/field.tsx';
import { useRemovalFocus } from '../../../parts/removal-focus.ts';
import { set } from '../../../state/set.ts';
import { mindTexts } from '../../../texts/editor/mind.ts';
import type { Path } from '../../document/path.ts';
import { schemaAt } from '../../document/schema.ts';
import { useField } from '../../fields/fields.tsx';
import type { Item } from '../../fields/list-changes.ts';
import type { Draft } from '../../saving/draft.ts';
import { ofTopic } from './form.ts';
import { mindPath } from './mind-languages.ts';
import { withFollowUps } from './topic-changes.ts';
import { topicName } from './topic-name.ts';

const texts = mindTexts.topics.followUps;
const topicsPath = [...mindPath, ofTopic.list];
/** Maximum topics in the list to choose from. */
const offered = 50;

/** The topics that follow a topic, by their questions and in their order. */
export function FollowUps({ draft, path }: { draft: Draft; path: Path }) {
  const place = [...path, ofTopic.followUps];
  const { value, problem } = useField(draft, place);
  const isChoosing = useSignal(false);
  const then = (value as readonly string[] | undefined) ?? [];
  const ref = useRemovalFocus<HTMLDivElement>('ol button', ':scope > div > button');
  const write = (next: readonly string[]) => draft.change(path, withFollowUps(draft.at(path) as Item, next));
  return (
    <div ref={ref} class="field follow-ups">
      <p class="label">{texts.label}</p>
      {then.length === 0 ? (
        <p class="soft">{texts.none}</p>
      ) : (
        <ol>
          {then.map((id, n) => (
            <li key={`${id} ${n}`}>
              <FollowUp
                draft={draft}
                id={id}
                problem={draft.problemAt([...place, n])}
                onRemove={() => write(then.filter((_, at) => at !== n))}
              />
            </li>
          ))}
        </ol>
      )}
      {draft.isEditable ? (
        <div>
          <Button onPress={() => set(isChoosing, !isChoosing.value)}>
            {isChoosing.value ? texts.done : texts.choose}
          </Button>
        </div>
      ) : null}
      {isChoosing.value ? <Choice draft={draft} path={path} then={then} onChange={write} /> : null}
      <p class="help">{texts.used}</p>
      {problem === undefined ? null : <p class="problem">{problem}</p>}
    </div>
  );
}

interface FollowUpProps {
  draft: Draft;
  id: string;
  problem: string | undefined;
  onRemove(): void;
}

function FollowUp({ draft, id, problem, onRemove }: FollowUpProps) {
  const name = useMemo(
    () =>
      computed(() => {
        const topic = (draft.at(topicsPath) as readonly Item[] | undefined)?.find((one) => one.id === id);
        return topic === undefined ? texts.unknown(id) : topicName(draft, topic);
      }),
    [draft, id],
  ).value;
  return (
    <div class="follow-up">
      <span class={problem === undefined ? undefined : 'bad'}>{name}</span>
      {draft.isEditable ? (
        <button type="button" class="button plain icon" aria-label={texts.remove(name)} onClick={onRemove}>
          ✕
        </button>
      ) : null}
    </div>
  );
}

interface ChoiceProps {
  draft: Draft;
  path: Path;
  then: readonly string[];
  onChange(then: readonly string[]): void;
}

/** The topics as check boxes. A chosen one is added at the end. */
function Choice({ draft, path, then, onChange }: ChoiceProps) {
  const search = useSignal('');
  const own = (draft.at(path) as Item).id;
  const topics = (draft.at(topicsPath) as readonly Item[]).map((topic) => ({
    id: String(topic.id),
    name: topic.id === own ? texts.itself(topicName(draft, topic)) : topicName(draft, topic),
  }));
  const wanted = search.value.trim().toLowerCase();
  const found = topics.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(wanted));
  const isFull = then.length >= (schemaAt([...path, ofTopic.followUps]).maxItems ?? Infinity);
  return (
    <div class="topic-choice">
      {topics.length > 10 ? (
        <TextField
          label={texts.search}
          type="search"
          value={search.value}
          onInput={(text) => set(search, text)}
        />
      ) : null}
      <fieldset class="choices">
        <legend class="hidden-text">{texts.choose}</legend>
        {found.slice(0, offered).map(({ id, name }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={then.includes(id)}
              disabled={isFull && !then.includes(id)}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? [...then, id] : then.filter((one) => one !== id))
              }
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      {found.length > offered ? <p class="soft">{texts.more(found.length - offered)}</p> : null}
    </div>
  );
}
