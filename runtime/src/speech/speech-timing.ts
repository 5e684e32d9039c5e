import type { Cue, Viseme, WordTime } from '@session-launch/contract/runtime/protocol';
import { wordsOf } from '../segmenters.ts';

/** A speech sound predicted from the text. `weight` is its length in units of one short sound. */
export interface PredictedSound {
  viseme: Viseme;
  weight: number;
  at: number;
}

/** Predicted duration, mouth shapes and word timings of a text. */
export interface Prediction {
  durationMs: number;
  cues: Cue[];
  words: WordTime[];
}

/** Length of a short sound at a calm reading rate, in milliseconds. */
export const unitMs = 72;
const shortPause = 3;
const longPause = 5;

/** Pairs of letters per viseme. */
const pairs: [Viseme, string][] = [
  ['CH', 'ch sh'],
  ['TH', 'th'],
  ['FF', 'ph'],
  ['nn', 'ng ll nn'],
  ['RR', 'rr'],
  ['kk', 'qu ck gh'],
  ['SS', 'ss'],
  ['DD', 'tt'],
  ['PP', 'mm pp'],
  ['I', 'ee ea ie'],
  ['U', 'oo ou'],
  ['O', 'au oi'],
  ['E', 'ei'],
];
const byPair = new Map(pairs.flatMap(([viseme, all]) => all.split(' ').map((pair) => [pair, viseme])));
/** Letters per viseme, in several scripts, because page voices speak many languages. */
const letters: [Viseme, string][] = [
  ['PP', 'pbmпбмπμبمפבמ'],
  ['FF', 'fvфвφβفוワヴ'],
  ['TH', 'þðθδثذظ'],
  ['DD', 'tdтдτتدطضטדת'],
  ['kk', 'kgcqxhкгхκγχكقغخحهعגכקחהع'],
  ['CH', 'jçчшщжцʃجشצש'],
  ['SS', 'szßсзσςζسزصסז'],
  ['nn', 'nlñнлνλنلנלん'],
  ['RR', 'rрρرר'],
  ['aa', 'aаяαاأآىאあアáà'],
  ['E', 'eеэёεηえエ'],
  ['I', 'iyиыйіιυيייいイ'],
  ['O', 'oоωοおオø'],
  ['U', 'uwуюوうウ'],
];
const byLetter = new Map(letters.flatMap(([viseme, all]) => [...all].map((letter) => [letter, viseme])));
/** Vowels of a row of kana, in the order a, i, u, e, o; `kanaRows` lists the rows by the viseme of their consonant. */
const kanaVowels: Viseme[] = ['aa', 'I', 'U', 'E', 'O'];
const kanaRows: [Viseme, string][] = [
  ['kk', 'かきくけこがぎぐげごはひふへほ'],
  ['SS', 'さしすせそざじずぜぞ'],
  ['DD', 'たちつてとだぢづでど'],
  ['nn', 'なにぬねの'],
  ['PP', 'まみむめもばびぶべぼぱぴぷぺぽ'],
  ['RR', 'らりるれろ'],
];
const byKana = new Map(
  kanaRows.flatMap(([viseme, row]) =>
    [...row].map((kana, index) => [kana, [viseme, kanaVowels[index % 5]!] as const]),
  ),
);
/** Alternating mouth shapes for logograms, whose written form does not show the pronunciation. */
const anySyllable: [Viseme, Viseme][] = [
  ['DD', 'aa'],
  ['kk', 'I'],
  ['nn', 'E'],
  ['SS', 'O'],
];

export const isVowel = (viseme: Viseme) => ['aa', 'E', 'I', 'O', 'U'].includes(viseme);
const wholeSyllable = /[\p{Script=Han}\p{Script=Hangul}]/u;
const katakana = (letter: string) =>
  /[ァ-ヶ]/.test(letter) ? String.fromCodePoint(letter.codePointAt(0)! - 0x60) : letter;

/** Predicts duration, mouth shapes and word timings at a calm reading rate, without synthesis. */
export function predict(text: string, pace = 1): Prediction {
  const sounds = soundsOf(text);
  const units = sounds.reduce((sum, { weight }) => sum + weight, 0);
  return timed(text, sounds, Math.max(200, (units * unitMs) / pace));
}

/** The same, scaled to a known duration minus the silence at both ends. */
export function stretched(
  text: string,
  durationMs: number,
  silence: { lead: number; tail: number },
): Prediction {
  const spoken = Math.max(1, durationMs - silence.lead - silence.tail);
  const { cues, words } = timed(text, soundsOf(text), spoken);
  const moved: Cue[] = cues.map(([ms, viseme]) => [ms + Math.round(silence.lead), viseme]);
  if (moved[0]?.[0] !== 0) moved.unshift([0, 'sil']);
  return {
    durationMs,
    cues: moved,
    words: words.map(([ms, start, end]) => [ms + Math.round(silence.lead), start, end]),
  };
}

function timed(text: string, sounds: PredictedSound[], durationMs: number): Prediction {
  const units = sounds.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const cues: Cue[] = [];
  const starts: [at: number, ms: number][] = [];
  let unit = 0;
  for (const { viseme, weight, at } of sounds) {
    const ms = Math.round((unit / units) * durationMs);
    starts.push([at, ms]);
    if (cues.at(-1)?.[1] !== viseme) cues.push([ms, viseme]);
    unit += weight;
  }
  if (cues.length === 0) cues.push([0, 'sil']);
  if (cues.at(-1)?.[1] !== 'sil') cues.push([Math.round(durationMs), 'sil']);
  return { durationMs: Math.round(durationMs), cues, words: wordTimes(text, starts, Math.round(durationMs)) };
}

/** Each word starts with the first sound at or after its first letter. */
function wordTimes(text: string, starts: [at: number, ms: number][], endMs: number): WordTime[] {
  let next = 0;
  return wordOffsets(text).map(([start, end]) => {
    while (next < starts.length && starts[next]![0] < start) next++;
    return [starts[next]?.[1] ?? endMs, start, end];
  });
}

/** Start and end offsets of the words of a text. */
export function wordOffsets(text: string): [start: number, end: number][] {
  return Array.from(wordsOf(text, 'und'), ({ word, index }) => [index, index + word.length]);
}

/** Predicts the sounds of a text, with their offsets in it. */
export function soundsOf(text: string): PredictedSound[] {
  const sounds: PredictedSound[] = [];
  const add = (viseme: Viseme, weight: number, at: number) => sounds.push({ viseme, weight, at });
  let syllable = 0;
  let at = 0;
  while (at < text.length) {
    const letter = String.fromCodePoint(text.codePointAt(at)!);
    const pair = byPair.get(text.slice(at, at + 2).toLowerCase());
    if (pair !== undefined) {
      add(pair, isVowel(pair) ? 1.5 : 1, at);
      at += 2;
      continue;
    }
    const plain = katakana(letter).toLowerCase();
    const kana = byKana.get(plain);
    const known = byLetter.get(plain) ?? byLetter.get(plain.normalize('NFD')[0]!);
    if (kana !== undefined) {
      add(kana[0], 0.8, at);
      add(kana[1], 1.2, at);
    } else if (known !== undefined) add(known, isVowel(known) ? 1.2 : 0.9, at);
    else if (wholeSyllable.test(letter)) {
      const [opening, vowel] = anySyllable[syllable++ % anySyllable.length]!;
      add(opening, 1, at);
      add(vowel, 1.6, at);
    } else if (/\p{Nd}/u.test(letter)) {
      add('SS', 1, at);
      add('E', 2, at);
    } else if (/[.!?…。！？؟]/u.test(letter)) add('sil', longPause, at);
    else if (/[,;:–—、，؛،]/u.test(letter)) add('sil', shortPause, at);
    else if (/\p{L}/u.test(letter)) add('E', 1, at);
    at += letter.length;
  }
  return sounds;
}
