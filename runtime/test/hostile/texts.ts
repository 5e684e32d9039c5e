/** A text of `length` characters: `start`, `unit` repeated, `end`. */
const filled = (unit: string, length: number, start = '', end = '') =>
  start + unit.repeat(Math.ceil(length / unit.length)).slice(0, length - start.length - end.length) + end;

/** Spaces around words that introduce a name: a backtracking pattern can split both runs of spaces in many ways. */
const introduction = (words: string) => (length: number) => {
  const before = Math.floor(length / 3);
  return `${' '.repeat(before)}${words}${' '.repeat(length - before - words.length - 1)}x`;
};

/** Distinct words, so that caches of single words have no effect. */
const differentWords = Array.from({ length: 2000 }, (_, n) => `q${n.toString(36)}zz`).join(' ');

/** Texts that make backtracking patterns or nested loops slow, by name, in any length. */
export const hostileTexts: Record<string, (length: number) => string> = {
  blanks: (length) => filled(' ', length),
  'blanks before a letter': (length) => filled(' ', length, '', 'x'),
  newlines: (length) => filled('\n', length, 'x', 'x'),
  'blanks and tabs': (length) => filled(' \t\u00a0', length, 'x', 'x'),
  commas: (length) => filled(',', length),
  'commas and blanks': (length) => filled(', ', length, '', 'x'),
  'full stops and blanks': (length) => filled('. ', length, '', 'x'),
  'question marks and blanks': (length) => filled('? ', length, '', 'x'),
  'one-letter sentences': (length) => filled('A. ', length, '', 'x'),
  'one word': (length) => filled('a', length),
  'one word of mixed letters': (length) => filled('ferytimsx', length),
  'words of four letters': (length) => filled('fery ', length),
  'different words': (length) => filled(differentWords, length),
  consonants: (length) => filled('bcdfgklmnprstvwz', length, 'my name is '),
  hyphens: (length) => filled('-', length, 'a', 'x'),
  'hyphenated words': (length) => filled('ab-', length, '', '!'),
  apostrophes: (length) => filled("'", length, 'a', 'x'),
  'typographic apostrophes': (length) => filled('’a', length, 'a', '!'),
  quotes: (length) => filled(',"”’»)', length, '', 'x'),
  colons: (length) => filled(': ', length, 'x', 'x'),
  'blanks around a colon': (length) => `${filled(' ', length / 2, 'x')}:${filled(' ', length / 2 - 1)}`,
  dashes: (length) => filled(' —', length, '', 'x'),
  brackets: (length) => filled('[[]]', length),
  digits: (length) => filled('0123456789', length),
  'digits and full stops': (length) => filled('1.', length, '', 'x'),
  'euro signs': (length) => filled('€ 1', length, '', 'x'),
  'combining marks': (length) => filled('\u0301', length, 'e'),
  'combining marks out of order': (length) => filled('\u0301\u0316', length, 'e'),
  'accented letters': (length) => filled('é', length),
  kanji: (length) => filled('日本語話', length),
  kana: (length) => filled('なまえは', length, '', 'x'),
  thai: (length) => filled('สวัสดี', length),
  emoji: (length) => filled('👩\u200d👩\u200d👧', length),
  'half a surrogate pair': (length) => filled('\ud83d', length),
  mixed: (length) => filled("a -,'1. é\u0301日", length, ' ', ' x'),
  'an introduction in English': introduction("i'm A"),
  'an introduction in German': introduction('ich bin A'),
  'an introduction in French': introduction('je suis A'),
  'an introduction in Spanish': introduction('me llamo A'),
  'an introduction in Italian': introduction('sono A'),
  'an introduction in Portuguese': introduction('sou A'),
  'many introductions': (length) => filled("hi,,, i'm A ", length),
  'one long name': (length) => filled("a'-", length, 'My name is ', '!'),
};
