import { LRUCache } from 'lru-cache';

/** Sessions may name any language tag, so the cache is limited. */
const known = new LRUCache<string, Intl.Segmenter>({ max: 64 });

/**
 * A segmenter for the language of a locale, cached. Making one takes much longer than using it. Scripts, regions and extensions do
 * not change where words and sentences end, so `en-x-a1` shares the segmenter of `en`.
 */
export function segmenterFor(locale: string, granularity: 'word' | 'sentence'): Intl.Segmenter {
  const { language } = new Intl.Locale(locale);
  const key = `${granularity} ${language}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = new Intl.Segmenter(language, { granularity });
  known.set(key, made);
  return made;
}

/**
 * Characters that are segmented at a time. In V8 each step of a segmenter takes time in proportion to the whole text it was given, so
 * long texts would take quadratic time.
 */
const block = 256;
/** The last characters of a block, among which a place to cut is looked for. */
const cutZone = 64;

export interface Word {
  word: string;
  /** Where it begins in the text. */
  index: number;
}

/** The words of a text, without blanks and punctuation. Runs of letters longer than a block are cut. */
export function* wordsOf(text: string, locale: string): Generator<Word> {
  const segmenter = segmenterFor(locale, 'word');
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + cutAt(text.slice(at, at + block)));
    for (const { segment, index, isWordLike } of segmenter.segment(part))
      if (isWordLike) yield { word: segment, index: at + index };
    at += part.length;
  }
}

/** Behind the last blank or punctuation mark near the end of a block; at its end where there is none, or the text ends there. */
function cutAt(part: string): number {
  if (part.length < block) return part.length;
  for (let end = block; end > block - cutZone; end--)
    if (/[\s,;!?、。，！？]/.test(part[end - 1]!)) return end;
  // Never between the halves of a surrogate pair.
  return /[\ud800-\udbff]/.test(part[block - 1]!) ? block - 1 : block;
}

/** Longest part of a text that is taken for one sentence. */
const longestSentence = 600;

/** The sentences of a text, with the blanks behind them. */
export function* sentencesOf(text: string, locale: string): Generator<string> {
  const segmenter = segmenterFor(locale, 'sentence');
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + longestSentence);
    const found = Array.from(segmenter.segment(part), ({ segment }) => segment);
    // The last one may go on behind the part.
    const isCut = at + part.length < text.length && found.length > 1;
    const whole = isCut ? found.slice(0, -1) : found;
    yield* whole;
    at += whole.reduce((sum, { length }) => sum + length, 0);
  }
}
