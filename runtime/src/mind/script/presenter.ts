import { sentencesOf } from '../../segmenters.ts';
import type { Dialogue, Said, Setting, Suggestion } from '../mind.ts';
import { IntentMatcher } from './intents.ts';
import { phrasesFor } from './phrases-by-language.ts';
import { spokenBy } from './speakers.ts';
import { pick } from './texts.ts';

/** Wraps a dialogue so that it presents section by section and answers questions in between. Returns `inner` if there are no sections. */
export function presented(inner: Dialogue, setting: Setting): Dialogue {
  const sections = setting.mode === 'presenter' ? sectionsOf(setting) : [];
  return sections.length === 0 ? inner : new Presenter(inner, setting, sections);
}

/** The texts of each section. */
function sectionsOf({ mind, locale, characters }: Setting): Said[][] {
  return (mind.presentation ?? []).flatMap((section) => {
    const [title, tell] = [
      pick(section.title, locale) ?? pick(section.title, 'en'),
      pick(section.tell, locale) ?? pick(section.tell, 'en'),
    ];
    if (title === undefined || tell === undefined) return [];
    const heading = title.variants[0]!.replace(/([^.!?。！？…])$/u, '$1.');
    const text = `${heading}\n${tell.variants[0]}`;
    return [spokenBy(text, tell.locale, characters, characters[0])];
  });
}

export class Presenter implements Dialogue {
  readonly #inner: Dialogue;
  readonly #sections: Said[][];
  readonly #phrases: ReturnType<typeof phrasesFor>;
  readonly #intents: IntentMatcher;
  readonly #characterId: string;
  #next = 0;
  #isWaiting = false;
  #hasBeenAsked = false;
  /** The section that is playing, until `remember` reports how much of it was played. */
  #playing: Said[] | undefined;
  /** The unplayed rest of an interrupted section. */
  #rest: Said[] = [];

  constructor(inner: Dialogue, { locale, characters }: Setting, sections: Said[][]) {
    this.#inner = inner;
    this.#sections = sections;
    this.#characterId = characters[0].characterId;
    this.#phrases = phrasesFor(sections[0]![0]?.locale ?? locale);
    this.#intents = new IntentMatcher(this.#phrases.phrases, this.#phrases.locale);
  }

  get pace(): number {
    return this.#inner.pace;
  }

  async *open(signal: AbortSignal): AsyncIterable<Said> {
    yield* this.#inner.open(signal);
  }

  async *answer(text: string, signal: AbortSignal): AsyncIterable<Said> {
    this.#hasBeenAsked = true;
    const command = this.command(text);
    if (command === 'wait') {
      this.#isWaiting = true;
      yield this.#line('wait');
    } else if (command === 'next') {
      this.#isWaiting = false;
      this.#hasBeenAsked = false;
      yield* this.#tellNext();
    } else {
      // A question ends the pause that the user asked for.
      this.#isWaiting = false;
      yield* this.#inner.answer(text, signal);
    }
  }

  /** Whether a text asks for a pause or for the next section. Other texts are answered by the inner dialogue. */
  command(text: string): 'wait' | 'next' | undefined {
    if (this.#intents.matches(text, 'wait')) return 'wait';
    return this.#isLeft && this.#intents.matches(text, 'next') ? 'next' : undefined;
  }

  nextSection(): AsyncIterable<Said> | undefined {
    return this.#isWaiting || !this.#isLeft ? undefined : this.#tellNext();
  }

  remember(said: string, heard: string): void {
    const playing = this.#playing;
    this.#playing = undefined;
    if (playing === undefined) this.#inner.remember(said, heard);
    else if (heard.length < said.length) this.#rest = unheard(playing, heard);
  }

  suggestions(): Suggestion[] {
    const { phrases, locale } = this.#phrases;
    const next = this.#isLeft ? [{ text: phrases.say.next, locale }] : [];
    return [...next, ...this.#inner.suggestions()].slice(0, 4);
  }

  sorry(): Said {
    return this.#inner.sorry();
  }

  get #isLeft(): boolean {
    return this.#rest.length > 0 || this.#next < this.#sections.length;
  }

  async *#tellNext(): AsyncIterable<Said> {
    const isBack = this.#hasBeenAsked || this.#rest.length > 0;
    this.#hasBeenAsked = false;
    const section = this.#rest.length > 0 ? this.#rest : (this.#sections[this.#next++] ?? []);
    this.#rest = [];
    const said = [
      ...(isBack ? [this.#line('goOn')] : []),
      ...section,
      ...(this.#isLeft ? [] : [this.#line('presentationDone')]),
    ];
    this.#playing = said;
    yield* said;
  }

  #line(line: 'wait' | 'goOn' | 'presentationDone'): Said {
    const { phrases, locale } = this.#phrases;
    return { text: phrases.say[line][0]!, locale, characterId: this.#characterId };
  }
}

/** Returns the unplayed rest of a text, from the start of the interrupted sentence. */
export function unheard(said: Said[], heard: string): Said[] {
  let left = heard.trimEnd().length;
  return said.flatMap((one) => {
    const rest = [...sentencesOf(one.text, one.locale)].filter((sentence) => {
      const isHeard = left >= sentence.trimEnd().length;
      left -= sentence.length;
      return !isHeard;
    });
    left -= 1;
    return rest.length === 0 ? [] : [{ ...one, text: rest.join('') }];
  });
}
