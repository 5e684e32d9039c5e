import type { RemoteEngine } from '../../endpoint.ts';
import { Sentences } from '../../sentences.ts';
import { unlessAborted } from '../../timeout.ts';
import type { Character, Dialogue, Mind, Said, Setting, Suggestion, ToolTurn } from '../mind.ts';
import { phrasesFor } from '../script/phrases-by-language.ts';
import { presented } from '../script/presenter.ts';
import { spokenBy } from '../script/speakers.ts';
import { pick } from '../script/texts.ts';
import { argumentsIn, repeatable } from './arguments.ts';
import { type ChatMessage, complete, emptyAnswer, type RequestedCall } from './completions.ts';
import { marks, systemPrompt } from './prompt.ts';
import { suggestedTopics } from './suggestions.ts';

const rememberedMessages = 40;

/** A mind backed by a language model with an OpenAI-compatible API. */
export function modelMind(engine: RemoteEngine): Mind {
  return {
    kind: 'model',
    name: engine.model,
    begin: (setting) => presented(new ModelDialogue(engine, setting), setting),
  };
}

class ModelDialogue implements Dialogue {
  readonly pace = 1;
  readonly #engine: RemoteEngine;
  readonly #setting: Setting;
  readonly #system: ChatMessage;
  readonly #history: ChatMessage[] = [];

  constructor(engine: RemoteEngine, setting: Setting) {
    this.#engine = engine;
    this.#setting = setting;
    this.#system = { role: 'system', content: systemPrompt(setting) };
  }

  /** Yields the greeting of the project file, else one that the model generates. */
  async *open(signal: AbortSignal): AsyncIterable<Said> {
    const { mind, locale, characters } = this.#setting;
    const greeting = pick(mind.greeting, locale);
    if (greeting === undefined) {
      yield* this.#say('(Somebody has just arrived. Greet them in one or two sentences.)', signal);
      return;
    }
    const text = greeting.variants[Math.floor(Math.random() * greeting.variants.length)]!;
    yield* spokenBy(text, greeting.locale, characters, characters[0]);
  }

  async *answer(text: string, signal: AbortSignal): AsyncIterable<Said> {
    yield* this.#say(text, signal);
  }

  nextSection(): undefined {
    return undefined;
  }

  /** Adds only the part that was played to the model's history. */
  remember(said: string, heard: string): void {
    if (heard === '') return;
    this.#keep({ role: 'assistant', content: heard.length < said.length ? `${heard}…` : heard });
  }

  suggestions(): Suggestion[] {
    return suggestedTopics(this.#setting);
  }

  sorry(): Said {
    const { phrases, locale } = phrasesFor(this.#setting.locale);
    return { text: phrases.say.sorry[0]!, locale, characterId: this.#setting.characters[0].characterId };
  }

  /** Throws if the model returns no text; the character then says that it failed. */
  async *#say(text: string, signal: AbortSignal): AsyncIterable<Said> {
    this.#keep({ role: 'user', content: text });
    const { tools, characters } = this.#setting;
    const turn = tools?.turn();
    let [speaker] = characters;
    let isEmpty = true;
    for (;;) {
      const offered = tools && turn && { list: tools.list, isSpent: turn.isSpent };
      let calls: RequestedCall[] = [];
      const output = complete(this.#engine, [this.#system, ...this.#history], signal, offered);
      const texts = withReturn(output, (requested) => {
        calls = requested;
      });
      for await (const said of this.#spoken(texts, speaker)) {
        speaker = characters.find(({ characterId }) => characterId === said.characterId) ?? speaker;
        isEmpty = false;
        yield said;
      }
      if (turn === undefined || calls.length === 0 || offered?.isSpent) break;
      yield this.#working(speaker);
      await this.#call(calls, turn, signal);
      yield this.#working(speaker);
    }
    if (isEmpty) throw emptyAnswer();
  }

  /** Splits the output of the model into sentences with their speakers and languages. */
  async *#spoken(output: AsyncIterable<string>, first: Character): AsyncIterable<Said> {
    const { locale, secondaryLocale, characters } = this.#setting;
    const languages = new Languages(locale, secondaryLocale ?? locale);
    let speaker = first;
    for await (const { text, locale } of languages.cut(output)) {
      for (const said of spokenBy(text, locale, characters, speaker)) {
        speaker = characters.find(({ characterId }) => characterId === said.characterId) ?? speaker;
        yield said;
      }
    }
  }

  #working({ characterId }: Character): Said {
    return { text: '', locale: this.#setting.locale, characterId };
  }

  /** Calls tools at the same time. After an interruption, their results still reach the history. */
  async #call(calls: RequestedCall[], turn: ToolTurn, signal: AbortSignal): Promise<void> {
    const made = calls.map((call) => {
      const message: ChatMessage = { role: 'tool', tool_call_id: call.id, content: pendingResult };
      return { call, message };
    });
    this.#keep({
      role: 'assistant',
      content: null,
      tool_calls: calls.map(({ id, name, arguments: written }) => ({
        ...{ id, type: 'function' as const },
        function: { name, arguments: repeatable(written) },
      })),
    });
    for (const { message } of made) this.#keep(message);
    const results = made.map(async ({ call, message }) => {
      message.content = (await turn.call(call.name, argumentsIn(call.arguments))).output;
    });
    await unlessAborted(Promise.all(results), signal);
  }

  #keep(message: ChatMessage): void {
    this.#history.push(message);
    this.#history.splice(0, Math.max(0, this.#history.length - rememberedMessages));
    // The result of a call whose request was dropped is an error for the model.
    while (this.#history[0]?.role === 'tool') this.#history.shift();
  }
}

const pendingResult = 'The result is not known yet.';

/** Passes on what a generator yields, and its return value to `returned`. */
async function* withReturn<T, R>(
  from: AsyncGenerator<T, R>,
  returned: (value: R) => void,
): AsyncGenerator<T> {
  returned(yield* from);
}

/** Splits a stream into sentences and assigns each one its language. */
class Languages {
  readonly #locales: [string, string];
  #isSecond = false;
  #rest = '';
  #isFirst = true;

  constructor(first: string, second: string) {
    this.#locales = [first, second];
  }

  async *cut(deltas: AsyncIterable<string>): AsyncIterable<{ text: string; locale: string }> {
    let sentences = this.#sentences();
    const tell = (pieces: string[]) => {
      if (pieces.length > 0) this.#isFirst = false;
      return pieces.map((text) => ({ text, locale: this.#locale }));
    };
    for await (const delta of deltas) {
      for (const part of this.#parts(delta)) {
        if (part === marks.open || part === marks.close) {
          yield* tell(sentences.end());
          this.#isSecond = part === marks.open;
          sentences = this.#sentences();
        } else yield* tell(sentences.push(part));
      }
    }
    yield* tell([...sentences.push(this.#rest), ...sentences.end()]);
  }

  get #locale(): string {
    return this.#locales[this.#isSecond ? 1 : 0]!;
  }

  #sentences(): Sentences {
    return new Sentences(this.#locale, this.#isFirst);
  }

  /** Splits the text into plain parts and marks. A bracket at the end may be half a mark and stays buffered. */
  #parts(delta: string): string[] {
    const text = this.#rest + delta;
    const isHalf = /[[\]]$/.test(text) && !/(?:\[\[|\]\])$/.test(text);
    this.#rest = isHalf ? text.slice(-1) : '';
    return text
      .slice(0, isHalf ? -1 : undefined)
      .split(/(\[\[|\]\])/)
      .filter((part) => part !== '');
  }
}
