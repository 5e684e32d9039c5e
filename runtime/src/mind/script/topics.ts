import type { Mind, ToolToCall } from '@session-launch/contract/project-file/mind';
import { Spelling } from './spelling.ts';
import { type Picked, pick } from './texts.ts';
import { Phrase, WordIndex, wordsIn } from './words.ts';

/** A topic in the language of the session. */
export interface Topic {
  id: string;
  /** The question as shown to the user; further variants are only matched. */
  ask: string;
  locale: string;
  tell: Picked;
  /** Ids of topics that may follow. */
  next: readonly string[];
  /** The tool to call after the answer. */
  call: ToolToCall | undefined;
  /** The topic lists itself in `next`: its texts are steps, and unrecognised input continues it until another topic matches. */
  isThread: boolean;
  /** Listed in `next` of a thread: matched and suggested only inside that thread. */
  isInside: boolean;
}

interface Known {
  topic: Topic;
  asks: Phrase[];
  phrases: Phrase[];
  words: Set<string>;
}

/** Minimum score of a match. */
const enough = 1.6;
const followUpBonus = 1.4;
/** Maximum words of a text whose spelling is corrected. */
const correctedWords = 40;

/** The topics of a script; finds the one that a text is about. */
export class Topics {
  readonly all: Topic[];
  readonly #known: Known[];
  readonly #locale: string;
  readonly #stopWords: Set<string>;
  readonly #weights: Map<string, number>;
  readonly #spelling: Spelling;

  constructor(topics: NonNullable<Mind['topics']>, locale: string, stopWords: Set<string>) {
    this.#locale = locale;
    this.#stopWords = stopWords;
    const inside = new Set(
      topics
        .filter((topic) => followUpsOf(topic).includes(topic.id))
        .flatMap((topic) => followUpsOf(topic).filter((one) => one !== topic.id)),
    );
    this.#known = topics.flatMap((topic) => {
      const [ask, tell] = [pick(topic.ask, locale), pick(topic.tell, locale)];
      if (ask === undefined || tell === undefined) return [];
      const phrases = pick(topic.words, locale)?.variants ?? [];
      const texts = [...ask.variants, ...phrases];
      return [
        {
          topic: {
            id: topic.id,
            ask: ask.variants[0]!,
            locale: ask.locale,
            tell,
            next: followUpsOf(topic),
            call: Array.isArray(topic.then) ? undefined : topic.then,
            isThread: followUpsOf(topic).includes(topic.id),
            isInside: inside.has(topic.id),
          },
          asks: ask.variants.map((variant) => new Phrase(variant, locale)),
          phrases: phrases.map((phrase) => new Phrase(phrase, locale)),
          words: new Set(texts.flatMap((text) => this.#content(wordsIn(text, locale)))),
        },
      ];
    });
    this.all = this.#known.map(({ topic }) => topic);
    const topicsWith = new Map<string, number>();
    for (const { words } of this.#known)
      for (const word of words) topicsWith.set(word, (topicsWith.get(word) ?? 0) + 1);
    const count = this.#known.length;
    this.#weights = new Map(
      [...topicsWith].map(([word, topics]) => [word, Math.log2(1 + count / topics) / Math.log2(1 + count)]),
    );
    this.#spelling = new Spelling(this.#weights.keys());
  }

  byId(id: string): Topic | undefined {
    return this.all.find((topic) => topic.id === id);
  }

  /** Returns the best-matching topic. Topics in `after.next` get a bonus; topics inside another thread are excluded. */
  find(text: string, after: Topic | undefined): Topic | undefined {
    const heard = new WordIndex(this.#corrected(wordsIn(text, this.#locale)));
    const content = new Set(this.#content(heard.words));
    const next = new Set(after?.next ?? []);
    let best: { topic: Topic; score: number } | undefined;
    for (const known of this.#known) {
      const { topic } = known;
      if (topic.isInside && !next.has(topic.id)) continue;
      const score = this.#score(known, heard, content) * (next.has(topic.id) ? followUpBonus : 1);
      if (score >= enough && score > (best?.score ?? 0)) best = { topic, score };
    }
    return best?.topic;
  }

  /** `content`: the words of the text without stop words. */
  #score({ asks, phrases, words }: Known, heard: WordIndex, content: Set<string>): number {
    const meant = asks.find((ask) => heard.is(ask));
    // The question with a few extra words scores lower than an exact match.
    if (meant !== undefined) return heard.words.length === meant.words.length ? 20 : 15;
    let score = 0;
    for (const phrase of phrases) {
      if (heard.has(phrase)) score += 2 * phrase.words.length;
    }
    for (const word of content) if (words.has(word)) score += 1.7 * (this.#weights.get(word) ?? 0);
    // A paraphrase scores by the share of the question's words that it contains.
    const closest = Math.max(0, ...asks.map((ask) => this.#overlap(ask, content)));
    return score + 2 * closest * closest;
  }

  /** Share of a question's content words that the text contains. */
  #overlap(ask: Phrase, heard: Set<string>): number {
    const content = this.#content(ask.words);
    if (content.length === 0) return 0;
    return content.filter((word) => heard.has(word)).length / content.length;
  }

  #content(words: readonly string[]): string[] {
    return words.filter((word) => !this.#stopWords.has(word));
  }

  /** Replaces unknown words by the most similar known ones. */
  #corrected(words: string[]): string[] {
    return words.map((word, n) => {
      if (n >= correctedWords || this.#weights.has(word) || this.#stopWords.has(word)) return word;
      return this.#spelling.nearest(word) ?? word;
    });
  }
}

function followUpsOf({ then }: NonNullable<Mind['topics']>[number]): readonly string[] {
  return Array.isArray(then) ? then : [];
}
