import type { Phrases } from './phrases/phrases.ts';
import { Heard } from './words.ts';

export type Intent = keyof Phrases['understand'];

/** What counts wherever it stands in a text; the others have to be little more than the phrase itself. */
const anywhere: readonly Intent[] = ['ai', 'whoAmI', 'whatWasThat', 'slower', 'faster', 'whoAreYou'];

/** Understands what every script does, in one language. */
export class Understanding {
  readonly #phrases: Phrases;
  readonly #locale: string;

  constructor(phrases: Phrases, locale: string) {
    this.#phrases = phrases;
    this.#locale = locale;
  }

  /** Whether a text means something that everybody says. */
  means(text: string, intent: Intent): boolean {
    const heard = new Heard(text, this.#locale);
    const fits = (phrase: string) =>
      anywhere.includes(intent) ? heard.has(phrase, this.#locale) : heard.is(phrase, this.#locale);
    return this.#phrases.understand[intent].some(fits);
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
