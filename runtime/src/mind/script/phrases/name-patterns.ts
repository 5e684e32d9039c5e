/** Maximum characters of a name. */
const longest = 40;

const part = String.raw`[\p{L}'-]`;
const name = String.raw`(\p{L}${part}{0,${longest - 1}})(?!${part})`;

/*
 * The patterns expect text in which each run of whitespace is collapsed into one space. No two adjacent quantifiers match the same
 * character, so a failing match takes linear time.
 */

/** A pattern that finds a name after one of these phrases, anywhere in a text. */
export function nameAfter(...phrases: string[]): RegExp {
  return new RegExp(String.raw`(?<!\p{L})(?:${phrases.join('|')}) ${name}`, 'iu');
}

/** The same at the start of a text, optionally after a greeting. */
export function nameFirst(greetings: readonly string[], ...phrases: string[]): RegExp {
  return new RegExp(beginning(greetings, phrases), 'iu');
}

/** The same for a text that contains nothing else. */
export function nameOnly(greetings: readonly string[], ...phrases: string[]): RegExp {
  return new RegExp(`${beginning(greetings, phrases)} ?[.!]?$`, 'iu');
}

function beginning(greetings: readonly string[], phrases: readonly string[]): string {
  return `^(?:${greetings.join('|')})?[,!. ]{0,3}(?:${phrases.join('|')}) ${name}`;
}
