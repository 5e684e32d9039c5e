import { Select } from '../../../parts/field.tsx';
import { mindTexts } from '../../../texts/editor/mind.ts';
import type { Path } from '../../document/path.ts';
import { useField } from '../../fields/fields.tsx';
import { DraftJson } from '../../fields/json-field.tsx';
import type { Item } from '../../fields/list-changes.ts';
import type { Draft } from '../../saving/draft.ts';
import { FollowUps } from './follow-ups.tsx';
import { ofTool, ofTopic } from './form.ts';
import { mindPath } from './mind-languages.ts';

const texts = mindTexts.topics.afterAnswer;

/** What follows the answer of a topic: other topics, or a call of a tool. Without tools there is no choice. */
export function AfterAnswer({ draft, path }: { draft: Draft; path: Path }) {
  const place = [...path, ofTopic.followUps];
  const then = useField(draft, place).value;
  const tools = useField(draft, [...mindPath, ofTool.list]).value as readonly Item[] | undefined;
  const isCall = typeof then === 'object' && !Array.isArray(then);
  if (!isCall && tools === undefined) return <FollowUps draft={draft} path={path} />;
  const called = isCall ? String((then as Item)[ofTopic.call.tool]) : '';
  const names = [...new Set([...(tools ?? []).map(({ name }) => String(name)), ...(isCall ? [called] : [])])];
  return (
    <div class="after-answer">
      <Select
        label={texts.label}
        help={isCall ? texts.used : undefined}
        problem={draft.problemAt([...place, ofTopic.call.tool]) ?? draft.problemAt(place)}
        value={called}
        disabled={!draft.isEditable}
        options={[
          { value: '', label: texts.topics },
          ...names.map((name) => ({ value: name, label: texts.call(name) })),
        ]}
        onChange={(name) =>
          draft.change(
            place,
            name === '' ? undefined : { ...(isCall ? then : {}), [ofTopic.call.tool]: name },
          )
        }
      />
      {isCall ? (
        <DraftJson draft={draft} path={[...place, ofTopic.call.arguments]} label={texts.arguments} rows={3} />
      ) : (
        <FollowUps draft={draft} path={path} />
      )}
    </div>
  );
}
