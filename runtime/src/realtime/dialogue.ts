import type { Heard } from '../conversation/partner.ts';
import type { Dialogue, Said, Setting, Suggestion } from '../mind/mind.ts';
import { suggestedTopics } from '../mind/model/suggestions.ts';
import { phrasesFor } from '../mind/script/phrases-by-language.ts';
import { pick } from '../mind/script/texts.ts';
import type { LiveItem } from './live-item.ts';
import type { RealtimeSession, Turn } from './session.ts';

/** A dialogue with a model that hears and speaks. Its messages are live speech; only `sorry` is a text. */
export class RealtimeDialogue implements Dialogue {
  readonly pace = 1;
  readonly #session: RealtimeSession;
  readonly #setting: Setting;
  readonly #sections: string[];
  /** The messages of the model in the current message of the character. */
  #items: LiveItem[] = [];
  #section: { isInterrupted: boolean } | undefined;

  constructor(session: RealtimeSession, setting: Setting) {
    this.#session = session;
    this.#setting = setting;
    this.#sections = setting.mode === 'presenter' ? sectionsOf(setting) : [];
  }

  open(signal: AbortSignal): AsyncIterable<Said> {
    const { mind, locale } = this.#setting;
    const greeting = pick(mind.greeting, locale);
    const text = greeting?.variants[Math.floor(Math.random() * greeting.variants.length)];
    return this.#respond(
      {
        kind: 'instruction',
        text:
          text === undefined
            ? 'Somebody has just arrived. Greet them in one or two sentences.'
            : `Somebody has just arrived. Greet them with exactly these words: ${text}`,
      },
      signal,
    );
  }

  answer(text: string, signal: AbortSignal): AsyncIterable<Said> {
    return this.#respond({ kind: 'text', text }, signal);
  }

  /** Answers the audio that the session has heard. */
  answerAudio(heard: Heard, signal: AbortSignal): AsyncIterable<Said> {
    return this.#respond({ kind: 'audio', heard }, signal);
  }

  nextSection(): AsyncIterable<Said> | undefined {
    const [section] = this.#sections;
    if (section === undefined) return undefined;
    const isInterrupted = this.#section?.isInterrupted === true;
    this.#section = { isInterrupted: false };
    const text = isInterrupted
      ? `Return to your talk, where you were interrupted in this section:\n${section}`
      : `Go on with your talk. Tell this section and keep to its facts:\n${section}`;
    return this.#respond({ kind: 'instruction', text }, new AbortController().signal);
  }

  remember(_said: string, heard: string): void {
    const items = this.#items.splice(0);
    this.#session.cancel();
    const isHeard = items.every((item) => item.isHeard);
    for (const item of items) if (!item.isHeard) this.#session.truncate(item);
    this.#session.remember(isHeard || heard === '' ? heard : `${heard}…`);
    this.#sectionEnded(isHeard && items.length > 0);
  }

  suggestions(): Suggestion[] {
    return suggestedTopics(this.#setting);
  }

  sorry(): Said {
    const { phrases, locale } = phrasesFor(this.#setting.locale);
    return { text: phrases.say.sorry[0]!, locale, characterId: this.#characterId };
  }

  get #characterId(): string {
    return this.#setting.characters[0].characterId;
  }

  /** A section counts as told when it was heard to its end. */
  #sectionEnded(isHeard: boolean): void {
    if (this.#section === undefined || this.#section.isInterrupted) return;
    if (isHeard) {
      this.#sections.shift();
      this.#section = undefined;
    } else this.#section.isInterrupted = true;
  }

  async *#respond(turn: Turn, signal: AbortSignal): AsyncIterable<Said> {
    const { locale } = this.#setting;
    for await (const live of this.#session.respond(turn, signal)) {
      if (live === 'calling') {
        yield { text: '', locale, characterId: this.#characterId };
        continue;
      }
      this.#items.push(live);
      yield { text: live.text, locale, characterId: this.#characterId, live };
    }
  }
}

function sectionsOf({ mind, locale }: Setting): string[] {
  return (mind.presentation ?? []).flatMap(({ title, tell }) => {
    const parts = [title, tell].map((texts) => pick(texts, locale) ?? pick(texts, 'en'));
    const texts = parts.flatMap((part) => part?.variants[0] ?? []);
    return texts.length === 0 ? [] : [texts.join('\n')];
  });
}
