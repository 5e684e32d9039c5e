import type { ToolToCall } from '@session-launch/contract/project-file/mind';
import type { Character, Dialogue, Said, Setting, Suggestion } from '../mind.ts';
import { IntentMatcher } from './intents.ts';
import { Lessons } from './lessons.ts';
import type { Phrases } from './phrases/phrases.ts';
import { phrasesFor } from './phrases-by-language.ts';
import { scriptLocales } from './script-locales.ts';
import { addressed, spokenBy } from './speakers.ts';
import { pick, type Texts, Variety } from './texts.ts';
import { textOf } from './tool-response.ts';
import type { Topic, Topics } from './topics.ts';
import { truncated } from './words.ts';

const maxSuggestions = 4;
const slow = 0.8;

/** The topics of a script in one of its locales, shared between sessions. */
export type TopicsOf = (setting: Setting, written: string, stopWords: Set<string>) => Topics;

/** Intents of a conversation that are matched before topics, in this order. */
const beforeTopics = ['whoAmI', 'whatWasThat', 'slower', 'faster'] as const;
/** Intents that are matched if no topic matches, in this order. */
const afterTopics = ['whoAreYou', 'help', 'hello', 'thanks', 'bye', 'next', 'yes', 'more', 'no'] as const;

type UnderstoodIntent = 'ai' | 'repeat' | (typeof beforeTopics)[number] | (typeof afterTopics)[number];

/** What a text of the user means, which determines the reply. */
export type Meaning =
  | { kind: 'phrase'; intent: UnderstoodIntent }
  | { kind: 'name'; name: string }
  | { kind: 'attempt'; attempt: 'right' | 'close' | 'wrong' }
  | { kind: 'topic' | 'step'; topic: Topic }
  | { kind: 'fallback' };

type Line = Exclude<keyof Phrases['say'], 'next'>;

/** The dialogue of a script: matches the user's text to intents and topics, else replies with a fallback. Remembers the user's name. */
export class ScriptDialogue implements Dialogue {
  pace = 1;
  readonly #setting: Setting;
  /** The locale in which the script speaks. */
  readonly #locale: string;
  readonly #phrases: ReturnType<typeof phrasesFor>;
  readonly #intents: IntentMatcher;
  readonly #topics: Topics;
  readonly #lessons: Lessons | undefined;
  readonly #variety: Variety;
  readonly #told = new Set<string>();
  #speaker: Character;
  #topic: Topic | undefined;
  #name: string | undefined;
  #lastSaid: Said[] = [];
  /** Id of the last topic; it becomes untold again if nothing of it was played. */
  #justTold: string | undefined;
  #hasAsked = false;
  /** The tool to call after the reply. */
  #toCall: ToolToCall | undefined;

  constructor(setting: Setting, random: () => number, topicsOf: TopicsOf) {
    this.#setting = setting;
    this.#speaker = setting.characters[0];
    const { spoken, written } = scriptLocales(setting);
    this.#locale = spoken;
    this.#phrases = phrasesFor(this.#locale);
    this.#intents = new IntentMatcher(this.#phrases.phrases, this.#locale);
    this.#topics = topicsOf(setting, written, this.#phrases.stopWords);
    this.#variety = new Variety(random);
    const { lessons } = setting.mind;
    if (lessons !== undefined && setting.secondaryLocale !== undefined)
      this.#lessons = new Lessons(lessons, this.#locale, setting.secondaryLocale);
  }

  async *open(): AsyncIterable<Said> {
    const greeting = this.#own('greeting', this.#setting.mind.greeting);
    const lesson = this.#lessons?.isEmpty ? this.#line('noLessons') : this.#teach();
    yield* this.#say([...greeting, ...lesson]);
  }

  async *answer(given: string, signal: AbortSignal): AsyncIterable<Said> {
    const text = truncated(given);
    this.#justTold = undefined;
    this.#toCall = undefined;
    this.#speaker = addressed(text, this.#setting.characters) ?? this.#speaker;
    const said = this.#say(this.#reply(this.understand(text)));
    yield* said;
    const call = this.#toCall as ToolToCall | undefined;
    if (call === undefined || signal.aborted) return;
    yield* this.#say([...said, ...(await this.#call(call))]).slice(said.length);
  }

  nextSection(): undefined {
    return undefined;
  }

  remember(_said: string, heard: string): void {
    if (heard.trim() === '' && this.#justTold !== undefined) {
      this.#told.delete(this.#justTold);
      this.#variety.restart(`topic ${this.#justTold}`);
    }
    this.#justTold = undefined;
  }

  suggestions(): Suggestion[] {
    const lesson = this.#lessons?.current;
    const shown = lesson === undefined ? [] : [{ text: lesson.say, locale: lesson.locale }];
    const next = (this.#topic?.next ?? []).flatMap((id) => this.#topics.byId(id) ?? []);
    const following = next.filter((topic) => topic !== this.#topic);
    const fresh = this.#topics.all.filter((topic) => !topic.isInside && !this.#told.has(topic.id));
    const topics = new Set([...following.filter(({ id }) => !this.#told.has(id)), ...fresh, ...following]);
    for (const { ask, locale } of topics) shown.push({ text: ask, locale });
    return shown.slice(0, maxSuggestions);
  }

  sorry(): Said {
    return this.#line('sorry')[0]!;
  }

  /** What a text means at this point of the conversation. Changes nothing. */
  understand(given: string): Meaning {
    const text = truncated(given);
    const matches = this.#intents.matches.bind(this.#intents, text);
    // Disclosing that the character is an AI takes precedence over all texts of the script.
    if (matches('ai')) return { kind: 'phrase', intent: 'ai' };
    const name = this.#intents.nameIn(text);
    if (name !== undefined) return { kind: 'name', name };
    const command = beforeTopics.find(matches);
    if (command !== undefined) return { kind: 'phrase', intent: command };
    const attempt = this.#lessons?.judge(text) ?? 'wrong';
    if (attempt === 'right') return { kind: 'attempt', attempt };
    if (matches('repeat')) return { kind: 'phrase', intent: 'repeat' };
    const topic = this.#topics.find(text, this.#topic);
    if (topic !== undefined) return { kind: 'topic', topic };
    const hasLesson = this.#lessons?.current !== undefined;
    const talk = afterTopics.find((intent) => (intent !== 'next' || hasLesson) && matches(intent));
    if (talk !== undefined) return { kind: 'phrase', intent: talk };
    const thread = this.#topic?.isThread ? this.#topic : undefined;
    if (hasLesson && (attempt === 'close' || thread === undefined)) return { kind: 'attempt', attempt };
    // Inside a thread, unrecognised text continues with the next step: a wrong guess gets the next hint.
    if (thread !== undefined && this.#hasSteps(thread)) return { kind: 'step', topic: thread };
    return { kind: 'fallback' };
  }

  #reply(meaning: Meaning): Said[] {
    switch (meaning.kind) {
      case 'phrase':
        return this.#phraseReply(meaning.intent);
      case 'name':
        this.#name = meaning.name;
        return [
          ...this.#line('meet', { name: meaning.name }),
          ...(this.#lessons?.current ? this.#teach() : this.#suggest()),
        ];
      case 'attempt':
        return meaning.attempt === 'right' ? this.#praise() : this.#miss();
      case 'topic':
      case 'step':
        return this.#tell(meaning.topic);
      case 'fallback':
        return this.#fallback();
    }
  }

  #phraseReply(intent: UnderstoodIntent): Said[] {
    const { name } = this.#speaker;
    switch (intent) {
      case 'ai':
        return this.#line('ai', { name });
      case 'whoAmI':
        return this.#name === undefined ? this.#line('noName') : this.#line('yourName', { name: this.#name });
      case 'whatWasThat':
        return this.#topic === undefined
          ? this.#line('nothingYet')
          : this.#line('lastTopic', { ask: this.#topic.ask });
      case 'slower':
      case 'faster':
        this.pace = intent === 'slower' ? slow : 1;
        return [...this.#line(intent), ...this.#lastSaid];
      case 'repeat':
        return this.#repeat();
      case 'whoAreYou':
        return [...this.#line('iAm', { name }), ...this.#suggest()];
      case 'help':
        return this.#suggest();
      case 'hello':
        return this.#own('greeting', this.#setting.mind.greeting);
      case 'thanks':
        return this.#line('welcome');
      case 'bye':
        return this.#line('bye');
      case 'next':
        this.#lessons?.postpone();
        return this.#teach();
      case 'yes':
        return this.#decided(0) ?? this.#more();
      case 'more':
        return this.#more();
      case 'no':
        return this.#decided(1) ?? this.#line('allRight');
    }
  }

  /** Handles yes or no after a text that ended with a question: yes leads to the first `next` topic, no to the second. */
  #decided(way: 0 | 1): Said[] | undefined {
    if (this.#topic === undefined || this.#topic.isThread || !this.#hasAsked) return undefined;
    const topic = this.#topics.byId(this.#topic.next[way] ?? '');
    return topic === undefined ? undefined : this.#tell(topic);
  }

  #repeat(): Said[] {
    if (this.#lessons !== undefined && !this.#lessons.isEmpty && this.#lessons.current === undefined) {
      this.#lessons.restart();
      return this.#teach();
    }
    return this.#lastSaid.length === 0 ? this.#line('nothingYet') : this.#lastSaid;
  }

  /** Returns the topic's next text. A thread continues with its next step, and restarts at the first when the topic is entered again. */
  #tell(topic: Topic): Said[] {
    const of = `topic ${topic.id}`;
    if (topic.isThread && this.#topic !== topic) this.#variety.restart(of);
    const text = this.#variety.next(of, topic.tell.variants, topic.isThread ? 'stay' : 'again');
    this.#topic = topic;
    this.#told.add(topic.id);
    this.#justTold = topic.id;
    this.#hasAsked = /[?？]\s*$/.test(text);
    this.#toCall = topic.call;
    return this.#spoken(text, topic.tell.locale);
  }

  /** Calls a tool; returns the text in its response. */
  async #call({ tool, arguments: values = {} }: ToolToCall): Promise<Said[]> {
    const result = await this.#setting.tools?.turn().call(tool, values);
    if (!result?.isDone) return this.#line('unavailable');
    const found = textOf(result.output, this.#locale);
    return found === undefined ? [] : this.#spoken(found.text, found.locale);
  }

  /** The reply to "yes" or "more": the next step of a thread, else an untold topic in `next`, else the next text of the current topic. */
  #more(): Said[] {
    const topic = this.#topic;
    if (topic === undefined) return this.#fresh() ?? this.#fallback();
    if (topic.isThread && this.#hasSteps(topic)) return this.#tell(topic);
    const next = topic.next
      .flatMap((id) => this.#topics.byId(id) ?? [])
      .find(({ id }) => !this.#told.has(id));
    if (next !== undefined) return this.#tell(next);
    if (this.#hasSteps(topic)) return this.#tell(topic);
    return [...this.#line('noMore'), ...this.#suggest()];
  }

  #fresh(): Said[] | undefined {
    const topic = this.#topics.all.find(({ id, isInside }) => !isInside && !this.#told.has(id));
    return topic === undefined ? undefined : this.#tell(topic);
  }

  #hasSteps({ id, tell }: Topic): boolean {
    return this.#variety.used(`topic ${id}`) < tell.variants.length;
  }

  #fallback(): Said[] {
    return [...this.#own('fallback', this.#setting.mind.fallback), ...this.#suggest()];
  }

  #suggest(): Said[] {
    const next = this.suggestions().find(({ locale }) => locale !== this.#lessons?.current?.locale);
    return next === undefined ? [] : this.#line('suggest', { ask: next.text });
  }

  #teach(): Said[] {
    const lesson = this.#lessons?.current;
    if (lesson === undefined) return this.#lessons?.isEmpty === false ? this.#line('lessonsDone') : [];
    const phrase = this.#spoken(lesson.say, lesson.locale);
    return [...this.#line('teach', { gloss: lesson.gloss }), ...phrase, ...this.#line('yourTurn')];
  }

  #praise(): Said[] {
    this.#lessons?.learnt();
    return [...this.#line('praise'), ...this.#teach()];
  }

  /** The reply to a failed attempt: repeats the phrase, or postpones it after the last try. */
  #miss(): Said[] {
    const lesson = this.#lessons!.current!;
    if (this.#lessons!.tryAgain())
      return [...this.#line('almost'), ...this.#spoken(lesson.say, lesson.locale)];
    this.#lessons!.postpone();
    return [...this.#line('notYet'), ...this.#teach()];
  }

  /** A text of the script, else the built-in phrase. */
  #own(line: 'greeting' | 'fallback', texts: Texts | undefined): Said[] {
    const found = pick(texts, this.#locale);
    if (found === undefined) return this.#line(line, { name: this.#speaker.name });
    return this.#spoken(this.#variety.any(line, found.variants), found.locale);
  }

  #line(line: Line, fill: Record<string, string> = {}): Said[] {
    const text = this.#variety.any(`line ${line}`, this.#phrases.phrases.say[line]);
    const filled = text.replace(/\{(\w+)\}/g, (_, name: string) => fill[name] ?? '');
    return [{ text: filled, locale: this.#phrases.locale, characterId: this.#speaker.characterId }];
  }

  #spoken(text: string, locale: string): Said[] {
    return spokenBy(text, locale, this.#setting.characters, this.#speaker);
  }

  #say(said: Said[]): Said[] {
    this.#lastSaid = said;
    return said;
  }
}
