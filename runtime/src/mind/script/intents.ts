import type { Phrases } from './phrases/phrases.ts';
import { Phrase, truncated, WordIndex, wordsIn } from './words.ts';

export type Intent = keyof Phrases['understand'];

/** Intents that match anywhere in a text. The others match only if the text is not much longer than the phrase. */
const anywhere: readonly Intent[] = ['ai', 'whoAmI', 'whatWasThat', 'slower', 'faster', 'whoAreYou'];

/** Texts with more characters than this, after whitespace is collapsed, are not searched for a name. */
const longestIntroduction = 100;

/** Parsed phrases per language, shared between conversations. */
const ready = new WeakMap<Phrases, Map<Intent, Phrase[]>>();

function phrasesOf(phrases: Phrases, locale: string): Map<Intent, Phrase[]> {
  const known = ready.get(phrases);
  if (known !== undefined) return known;
  const made = new Map(
    Object.entries(phrases.understand).map(([intent, texts]) => [
      intent as Intent,
      texts.split(', ').map((text) => new Phrase(text, locale)),
    ]),
  );
  ready.set(phrases, made);
  return made;
}

/** Recognises the intents common to all scripts, in one language. */
export class IntentMatcher {
  readonly #phrases: Phrases;
  readonly #locale: string;
  readonly #intents: Map<Intent, Phrase[]>;
  /** The last text and its words: `matches` is called with the same text for many intents. */
  #last: { text: string; heard: WordIndex } | undefined;

  constructor(phrases: Phrases, locale: string) {
    this.#phrases = phrases;
    this.#locale = locale;
    this.#intents = phrasesOf(phrases, locale);
  }

  /** Whether a text expresses an intent. */
  matches(text: string, intent: Intent): boolean {
    if (this.#last?.text !== text)
      this.#last = { text, heard: new WordIndex(wordsIn(truncated(text), this.#locale)) };
    const { heard } = this.#last;
    return this.#intents
      .get(intent)!
      .some((phrase) => (anywhere.includes(intent) ? heard.has(phrase) : heard.is(phrase)));
  }

  /** Returns the name that a text introduces, capitalised, or `undefined`. Long texts are not searched. */
  nameIn(text: string): string | undefined {
    const folded = text.trim().replace(/\s+/g, ' ');
    // Checked before `normalize`, which takes quadratic time on long runs of combining marks.
    if (folded.length > longestIntroduction) return undefined;
    const plain = folded.normalize('NFC').replaceAll('’', "'");
    const name =
      found(this.#phrases.nameIs, plain) ??
      found(this.#phrases.capitalNameIs, plain, (name) => /^\p{Lu}/u.test(name));
    return name === undefined ? undefined : name[0]!.toUpperCase() + name.slice(1);
  }
}

/** The capture of the first matching pattern. */
function found(
  patterns: readonly RegExp[],
  text: string,
  accepts: (name: string) => boolean = () => true,
): string | undefined {
  for (const pattern of patterns) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined && accepts(name)) return name;
  }
  return undefined;
}
