import { wordTexts } from '../../texts/editor/words.ts';
import { type Place, placeText } from './items.ts';
import { languageName } from './language-name.ts';
import { isFields } from './same.ts';

/** Fields with one text for each language. */
const byLanguage = new Set(['greeting', 'fallback', 'ask', 'words', 'tell', 'say', 'gloss', 'title']);

interface Named {
  place: Place;
  isOrder?: true;
}

/** What a field is called, such as `Greeting (English)`. `documents` are searched for the names of items. */
export function labelOf({ place, isOrder }: Named, documents: readonly unknown[]): string {
  const n = place.findIndex((step) => typeof step !== 'string');
  if (n === -1) {
    const label = labelOfField(place as readonly string[]);
    return isOrder ? wordTexts.order(label) : label;
  }
  const list = place.slice(0, n);
  const { id } = place[n] as { id: string };
  const item = wordTexts.items[placeText(list)]?.(nameOf(list as readonly string[], id, documents)) ?? id;
  const names = place.slice(n + 1) as string[];
  return names.length === 0 ? item : wordTexts.of(item, labelIn(itemFieldsOf(list), names));
}

function labelOfField(names: readonly string[]): string {
  return names.length === 0 ? wordTexts.document : labelIn(wordTexts.fields, names);
}

/** The words for the fields of the items of a list. */
function itemFieldsOf(list: Place): Record<string, string> {
  return { ...wordTexts.itemFields, ...wordTexts.itemFieldsOf[placeText(list)] };
}

/** The label of the longest prefix of the path that has one, followed by the rest of the path. */
function labelIn(labels: Record<string, string>, names: readonly string[]): string {
  for (let length = names.length; length > 0; length--) {
    const label = labels[names.slice(0, length).join('.')];
    if (label !== undefined) return withRest(label, names[length - 1]!, names.slice(length));
  }
  return names.join('.');
}

function withRest(label: string, field: string, rest: readonly string[]): string {
  const [first, variant, ...others] = rest;
  if (first === undefined) return label;
  if (!byLanguage.has(field) || others.length > 0) return wordTexts.within(label, rest.join('.'));
  const text = wordTexts.inLanguage(label, languageName(first));
  return variant === undefined ? text : wordTexts.within(text, wordTexts.variant(variant));
}

/** The question, phrase, heading or name of an item; its id if it has none. */
function nameOf(list: readonly string[], id: string, documents: readonly unknown[]): string {
  for (const document of documents) {
    const items = list.reduce<unknown>((at, name) => (isFields(at) ? at[name] : undefined), document);
    const item = (Array.isArray(items) ? items : []).find(
      (one) => isFields(one) && (one.id === id || one.characterId === id),
    );
    for (const field of ['name', 'ask', 'say', 'title']) {
      const text = firstText(item?.[field]);
      if (text !== undefined) return text;
    }
  }
  return id;
}

function firstText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (Array.isArray(value)) return firstText(value[0]);
  return isFields(value) ? firstText(Object.values(value)[0]) : undefined;
}

/** A value as lines of text. `undefined` if there is none. `documents` are searched for the names of items. */
export function valueLines(
  { place, isOrder }: Named,
  value: unknown,
  documents: readonly unknown[] = [],
): string[] | undefined {
  if (value === undefined) return undefined;
  if (isOrder) return (value as string[]).map((id) => nameOf(place as readonly string[], id, documents));
  if (place[0] === 'runtime' && place[1] === 'languages') {
    if (value === 'match') return [wordTexts.match];
    if (isFields(value) && typeof value.fixed === 'string')
      return [wordTexts.fixed(languageName(value.fixed))];
    if (place[2] === 'default' && typeof value === 'string') return [languageName(value)];
  }
  return lines(value, itemFieldsOf(place.slice(0, -1)));
}

function lines(value: unknown, labels: Record<string, string>): string[] {
  if (typeof value === 'boolean') return [value ? wordTexts.yes : wordTexts.no];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value))
    return value.length === 0
      ? [wordTexts.nothing]
      : value.map((item) => (isFields(item) ? JSON.stringify(item) : String(item)));
  if (isFields(value)) return Object.entries(value).flatMap(([name, part]) => fieldLines(name, part, labels));
  return [String(value)];
}

function fieldLines(name: string, value: unknown, labels: Record<string, string>): string[] {
  const label = labels[name] ?? name;
  if (isFields(value) && byLanguage.has(name))
    return Object.entries(value).flatMap(([tag, texts]) =>
      lines(texts, labels).map((line) => `${wordTexts.inLanguage(label, languageName(tag))}: ${line}`),
    );
  return [`${label}: ${isFields(value) ? JSON.stringify(value) : lines(value, labels).join(', ')}`];
}
