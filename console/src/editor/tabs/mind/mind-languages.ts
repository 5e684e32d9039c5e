import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Mind } from '@session-launch/contract/project-file/mind';
import type { Draft } from '../../saving/draft.ts';

/** One text or several variants, by language. */
export type Texts = Record<string, string | string[]>;
type MaybeTexts = Texts | undefined;

export const mindPath = ['runtime', 'mind'] as const;

export const variantsOf = (texts: MaybeTexts, language: string): readonly string[] =>
  [texts?.[language] ?? []].flat();

/** The language of a tag without script and region: `pt` of `pt-PT`. */
const base = (tag: string) => tag.split('-', 1)[0]!.toLowerCase();

/** Whether sessions in a language have a text: in exactly this one, or in another one with the same base. */
export function hasText(texts: MaybeTexts, language: string): boolean {
  if (texts === undefined) return false;
  return language in texts || Object.keys(texts).some((tag) => base(tag) === base(language));
}

/** Whether a text is a valid language tag. */
export function isTag(text: string): boolean {
  try {
    return new Intl.Locale(text).language !== '';
  } catch {
    return false;
  }
}

/** The texts of a mind in the languages of the conversation. The phrases to learn are in another language. */
function* textsOf(mind: Mind): Generator<MaybeTexts> {
  yield mind.greeting;
  for (const { ask, tell, words } of mind.topics ?? []) yield* [ask, tell, words];
  for (const { title, tell } of mind.presentation ?? []) yield* [title, tell];
  for (const { gloss } of mind.lessons ?? []) yield gloss;
  yield mind.fallback;
}

function keysOf(all: Iterable<MaybeTexts>): string[] {
  const found = new Set<string>();
  for (const texts of all) for (const language in texts) found.add(language);
  return [...found];
}

/** Which parts of a mind a language lacks. A topic without question or answer is unknown in sessions of this language. */
export interface MissingTexts {
  greeting: boolean;
  fallback: boolean;
  topics: number;
  sections: number;
}

export function missingIn(mind: Mind, language: string): MissingTexts {
  const lacks = (...texts: MaybeTexts[]) => texts.some((one) => !hasText(one, language));
  return {
    greeting: lacks(mind.greeting),
    fallback: lacks(mind.fallback),
    topics: (mind.topics ?? []).filter(({ ask, tell }) => lacks(ask, tell)).length,
    sections: (mind.presentation ?? []).filter(({ title, tell }) => lacks(title, tell)).length,
  };
}

/** The languages of the mind that the tab shows. */
export interface MindLanguages {
  /** All languages of the conversation, the default one first. */
  all: ReadonlySignal<readonly string[]>;
  /** Those whose columns are shown. */
  shown: ReadonlySignal<readonly string[]>;
  /** The languages of the phrases to learn. */
  learnt: ReadonlySignal<readonly string[]>;
  /** Languages that were added and have no text yet. */
  added: Signal<readonly string[]>;
  chosen: Signal<ReadonlySet<string> | undefined>;
}

/** More columns than this are not shown at first. */
const columns = 2;

const states = new WeakMap<Draft, MindLanguages>();

/** Kept per draft, so that a language without texts is still there after a look at another tab. */
export function languagesOf(draft: Draft): MindLanguages {
  const known = states.get(draft);
  if (known !== undefined) return known;
  const added = signal<readonly string[]>([]);
  const chosen = signal<ReadonlySet<string> | undefined>(undefined);
  const mind = () => (draft.at(mindPath) ?? {}) as Mind;
  const byDefault = () => String(draft.at(['runtime', 'languages', 'default']) ?? 'en');
  const all = stable(() => {
    const found = [...new Set([...keysOf(textsOf(mind())), ...added.value])];
    const first =
      found.find((one) => one === byDefault()) ?? found.find((one) => base(one) === base(byDefault()));
    if (found.length === 0) return [byDefault()];
    return first === undefined ? found : [first, ...found.filter((one) => one !== first)];
  });
  const state: MindLanguages = {
    added,
    chosen,
    all,
    shown: stable(() => {
      const wanted = chosen.value;
      return wanted === undefined ? all.value.slice(0, columns) : all.value.filter((one) => wanted.has(one));
    }),
    learnt: stable(() => {
      const written = keysOf((mind().lessons ?? []).map(({ say }) => say));
      const paired = draft.at(['runtime', 'languages', 'paired']) as { fixed?: string } | undefined;
      return [...new Set([...(paired?.fixed === undefined ? [] : [paired.fixed]), ...written])];
    }),
  };
  states.set(draft, state);
  return state;
}

/** A computed list that stays the same object while its items are the same. */
function stable(compute: () => readonly string[]): ReadonlySignal<readonly string[]> {
  let last: readonly string[] = [];
  return computed(() => {
    const next = compute();
    if (next.length !== last.length || next.some((one, n) => one !== last[n])) last = next;
    return last;
  });
}

type WithId = { id: string };

/** Changes each text of the conversation's languages in a mind. Texts that become empty are removed. */
function mapTexts(mind: Mind, change: (texts: MaybeTexts, of: string) => MaybeTexts): Mind {
  const fields = <T extends object>(item: T, names: readonly (keyof T & string)[], of: string): T => {
    let result = item;
    for (const name of names) {
      const before = item[name] as MaybeTexts;
      const after = change(before, `${of}${name}`);
      if (after === before) continue;
      const { [name]: _, ...others } = result;
      const isEmpty = after === undefined || Object.keys(after).length === 0;
      // Assigned to a copy, so that the fields keep their order.
      result = (isEmpty ? others : { ...result, [name]: after }) as T;
    }
    return result;
  };
  const list = <T extends WithId>(
    items: T[] | undefined,
    kind: string,
    names: readonly (keyof T & string)[],
  ) => items?.map((item) => fields(item, names, `${kind} ${item.id} `));
  const result = fields(mind, ['greeting', 'fallback'], '');
  const topics = list(mind.topics, 'topic', ['ask', 'words', 'tell']);
  const presentation = list(mind.presentation, 'section', ['title', 'tell']);
  const lessons = list(mind.lessons, 'lesson', ['gloss']);
  return {
    ...result,
    ...(topics === undefined ? {} : { topics }),
    ...(presentation === undefined ? {} : { presentation }),
    ...(lessons === undefined ? {} : { lessons }),
  };
}

/** Removes a language from a mind. */
export function withoutLanguage(mind: Mind, language: string): Mind {
  return mapTexts(mind, (texts) => {
    if (texts === undefined || !(language in texts)) return texts;
    const { [language]: _, ...others } = texts;
    return others;
  });
}

/** Puts the texts of a language back that `before` has, where the present mind has none. Items are found by their ids. */
export function withLanguageBack(mind: Mind, before: Mind, language: string): Mind {
  const old = new Map<string, string | string[]>();
  mapTexts(before, (texts, of) => {
    const text = texts?.[language];
    if (text !== undefined) old.set(of, text);
    return texts;
  });
  return mapTexts(mind, (texts, of) => {
    const text = old.get(of);
    return text === undefined || (texts !== undefined && language in texts)
      ? texts
      : { ...texts, [language]: text };
  });
}
