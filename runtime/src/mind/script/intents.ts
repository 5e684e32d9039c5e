import type { Phrases } from './phrases/phrases.ts';
import { Heard, Phrase } from './words.ts';

export type Intent = keyof Phrases['understand'];

/** What counts wherever it stands in a text; the others have to be little more than the phrase itself. */
const anywhere: readonly Intent[] = ['ai', 'whoAmI', 'whatWasThat', 'slower', 'faster', 'whoAreYou'];

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
    if (this.#last?.text !== text) this.#last = { text, heard: new Heard(text, this.#locale) };
    const { heard } = this.#last;
    return this.#intents
      .get(intent)!
      .some((phrase) => (anywhere.includes(intent) ? heard.has(phrase) : heard.is(phrase)));
  }

  /** The name that somebody gave, as they wrote it. */
  nameIn(text: string): string | undefined {
    for (const pattern of this.#phrases.nameIs) {
      const name = pattern.exec(text)?.[1];
      if (name !== undefined) return name[0]!.toUpperCase() + name.slice(1);
    }
    return undefined;
  }
}
