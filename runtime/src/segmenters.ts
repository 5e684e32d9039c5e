import { LRUCache } from 'lru-cache';

/** Bounded cache: clients may send any language tag. */
const known = new LRUCache<string, Intl.Segmenter>({ max: 64 });

/**
 * Returns a cached segmenter for the language of a locale; creating one is much slower than using it. Scripts, regions and extensions do
 * not change word and sentence boundaries, so `en-x-a1` shares the segmenter of `en`.
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
 * Characters that are segmented at a time. In V8 each step of a segmenter takes time in proportion to the length of its input: long
 * texts would take quadratic time.
 */
const block = 256;
/** Number of characters at the end of a block that are searched for a place to cut. */
const cutZone = 64;

export interface Word {
  word: string;
  /** Offset of the word in the text. */
  index: number;
}

/** Yields the words of a text, without whitespace and punctuation. Runs of letters longer than a block are cut. */
export function* wordsOf(text: string, locale: string): Generator<Word> {
  const segmenter = segmenterFor(locale, 'word');
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + cutAt(text.slice(at, at + block)));
    for (const { segment, index, isWordLike } of segmenter.segment(part))
      if (isWordLike) yield { word: segment, index: at + index };
    at += part.length;
  }
}

/** Returns the offset after the last whitespace or punctuation mark in the cut zone; the end of the block if there is none. */
function cutAt(part: string): number {
  if (part.length < block) return part.length;
  for (let end = block; end > block - cutZone; end--)
    if (/[\s,;!?、。，！？]/.test(part[end - 1]!)) return end;
  // Never cuts a surrogate pair.
  return /[\ud800-\udbff]/.test(part[block - 1]!) ? block - 1 : block;
}

/** Maximum characters of a sentence; longer ones are cut. */
const longestSentence = 600;

/** Yields the sentences of a text, with trailing whitespace. */
export function* sentencesOf(text: string, locale: string): Generator<string> {
  const segmenter = segmenterFor(locale, 'sentence');
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + longestSentence);
    const found = Array.from(segmenter.segment(part), ({ segment }) => segment);
    // The last segment may continue after the part.
    const isCut = at + part.length < text.length && found.length > 1;
    const whole = isCut ? found.slice(0, -1) : found;
    yield* whole;
    at += whole.reduce((sum, { length }) => sum + length, 0);
  }
}
