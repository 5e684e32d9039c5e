import type { Phrases } from './phrases/phrases.ts';
import { Heard, Phrase, readable, wordsIn } from './words.ts';

export type Intent = keyof Phrases['understand'];

/** What counts wherever it stands in a text; the others have to be little more than the phrase itself. */
const anywhere: readonly Intent[] = ['ai', 'whoAmI', 'whatWasThat', 'slower', 'faster', 'whoAreYou'];

/** Maximum characters of a text in which a name is looked for, blanks folded. */
const longestIntroduction = 100;

/** The phrases of a language, made ready once for all conversations in it. */
const ready = new WeakMap<Phrases, Map<Intent, Phrase[]>>();

function phrasesOf(phrases: Phrases, locale: string): Map<Intent, Phrase[]> {
  const known = ready.get(phrases);
  if (known !== undefined) return known;
  const made = new Map(
    Object.entries(phrases.understand).map(([intent, texts]) => [
      intent as Intent,
      texts.map((text) => new Phrase(text, locale)),
    ]),
  );
  ready.set(phrases, made);
  return made;
}

/** Understands what every script does, in one language. */
export class Understanding {
  readonly #phrases: Phrases;
  readonly #locale: string;
  readonly #intents: Map<Intent, Phrase[]>;
  /** One text is asked about many times. */
  #last: { text: string; heard: Heard } | undefined;

  constructor(phrases: Phrases, locale: string) {
    this.#phrases = phrases;
    this.#locale = locale;
    this.#intents = phrasesOf(phrases, locale);
  }

  /** Whether a text means something that everybody says. */
  means(text: string, intent: Intent): boolean {
    if (this.#last?.text !== text)
      this.#last = { text, heard: new Heard(wordsIn(readable(text), this.#locale)) };
    const { heard } = this.#last;
    return this.#intents
      .get(intent)!
      .some((phrase) => (anywhere.includes(intent) ? heard.has(phrase) : heard.is(phrase)));
  }

  /** The name that a text introduces, with a capital letter, or `undefined`. Long texts are not searched. */
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

/** What the first matching pattern captured. */
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
