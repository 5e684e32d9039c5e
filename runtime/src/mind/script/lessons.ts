import type { Mind } from '@session-launch/contract/project-file/mind';
import { similarity } from '@session-launch/process/edit-distance';
import { pick } from './texts.ts';
import { fold, wordsIn } from './words.ts';

/** A phrase to learn. */
export interface Lesson {
  say: string;
  /** Alternative wordings that count as correct. */
  others: string[];
  locale: string;
  gloss: string;
}

const rightEnough = 0.72;
const closeEnough = 0.45;
const triesEach = 3;

/** A queue of phrases. A phrase that was not learnt returns to the end of the queue once. */
export class Lessons {
  readonly #queue: Lesson[];
  readonly #all: Lesson[];
  readonly #postponed = new Set<Lesson>();
  #tries = 0;

  constructor(lessons: NonNullable<Mind['lessons']>, locale: string, learnt: string) {
    this.#all = lessons.flatMap((lesson) => {
      const [say, gloss] = [pick(lesson.say, learnt), pick(lesson.gloss, locale)];
      if (say === undefined || gloss === undefined) return [];
      const [first = '', ...others] = say.variants;
      return [{ say: first, others, locale: say.locale, gloss: gloss.variants[0]! }];
    });
    this.#queue = [...this.#all];
  }

  get current(): Lesson | undefined {
    return this.#queue[0];
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** Rates a learner's attempt. */
  judge(text: string): 'right' | 'close' | 'wrong' {
    const { current } = this;
    if (current === undefined) return 'wrong';
    const plain = (one: string) => wordsIn(one, current.locale).join('');
    const [said, folded] = [plain(text), fold(text)];
    const ways = [current.say, ...current.others];
    const best = Math.max(...ways.map((way) => similarity(said, plain(way), closeEnough)));
    const isContained = ways.some((way) => folded.includes(fold(way)));
    return best >= rightEnough || isContained ? 'right' : best >= closeEnough ? 'close' : 'wrong';
  }

  /** Counts a try; returns `false` when the tries for the phrase are used up. */
  tryAgain(): boolean {
    this.#tries++;
    return this.#tries < triesEach;
  }

  learnt(): void {
    this.#queue.shift();
    this.#tries = 0;
  }

  postpone(): void {
    const [lesson] = this.#queue;
    this.learnt();
    if (lesson === undefined || this.#postponed.has(lesson)) return;
    this.#postponed.add(lesson);
    this.#queue.push(lesson);
  }

  restart(): void {
    this.#queue.splice(0, Infinity, ...this.#all);
    this.#postponed.clear();
    this.#tries = 0;
  }
}
