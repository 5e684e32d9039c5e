/** Runs of combining marks beyond the limit of the Unicode Stream-Safe Text Format (UAX #15). */
const manyMarks = /(\p{M}{30})\p{M}+/gu;

/** A text in normalization form D. Long runs of combining marks, which `normalize` sorts in quadratic time, are shortened first. */
export function decomposed(text: string): string {
  return text.replace(manyMarks, '$1').normalize('NFD');
}
