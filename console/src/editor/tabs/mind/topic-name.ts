import { mindTexts } from '../../../texts/editor/mind.ts';
import type { Item } from '../../fields/list-changes.ts';
import type { Draft } from '../../saving/draft.ts';
import { languagesOf, type Texts, variantsOf } from './mind-languages.ts';

/** The first text of a field, in the first language that has one. */
export function firstText(draft: Draft, texts: unknown): string | undefined {
  const written = texts as Texts | undefined;
  const languages = [...languagesOf(draft).all.peek(), ...Object.keys(written ?? {})];
  return languages.flatMap((one) => variantsOf(written, one)).find((text) => text.trim() !== '');
}

/** What a topic is called: its question, else its id. */
export function topicName(draft: Draft, topic: Item): string {
  return (
    firstText(draft, topic.ask) ?? (topic.id === undefined ? mindTexts.topics.unnamed : String(topic.id))
  );
}
