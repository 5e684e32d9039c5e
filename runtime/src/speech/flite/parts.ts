/**
 * Maximum estimated phones per part: about 30 seconds of audio, so that one run of the engine takes at most about a second. A piece of 280
 * ordinary characters stays below it and is synthesised in one run.
 */
const maxPhones = 500;

/** Estimated phones per character, from measurements: flite reads digits as numbers and spells words that have no vowel. */
const phonesOf = { digit: 8.5, sign: 6, w: 7, spelledLetter: 2.5, letter: 1.2 } as const;

/** Splits a text into parts that take a bounded time to synthesise, between words where possible. */
export function partsOf(said: string): string[] {
  const parts: string[] = [];
  let [part, phones] = ['', 0];
  for (const token of said.split(/(?<= )/).flatMap(cutToken)) {
    const more = phonesIn(token);
    if (phones + more > maxPhones && part !== '') {
      parts.push(part.trim());
      [part, phones] = ['', 0];
    }
    part += token;
    phones += more;
  }
  parts.push(part.trim());
  // The engine fails on a text without letters or digits.
  return parts.filter((one) => /[A-Za-z0-9]/.test(one));
}

/** Splits a token that is too long for one part. */
function cutToken(token: string): string[] {
  const count = Math.ceil(phonesIn(token) / maxPhones);
  if (count <= 1) return [token];
  const length = Math.ceil(token.length / count);
  return Array.from({ length: count }, (_, n) => token.slice(n * length, (n + 1) * length));
}

function phonesIn(token: string): number {
  const isSpelled = !/[aeiouy]/i.test(token);
  let phones = 0;
  for (const character of token) {
    if (/\d/.test(character)) phones += phonesOf.digit;
    else if (/[%$/:]/.test(character)) phones += phonesOf.sign;
    else if (!/[a-z]/i.test(character)) continue;
    else if (!isSpelled) phones += phonesOf.letter;
    else phones += /w/i.test(character) ? phonesOf.w : phonesOf.spelledLetter;
  }
  return phones;
}
