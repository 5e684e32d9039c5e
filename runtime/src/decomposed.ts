/** Combining marks beyond the 30 that the Unicode Stream-Safe Text Format (UAX #15) allows in a row. */
const manyMarks = /(\p{M}{30})\p{M}+/gu;

/** Normalizes a text to NFD. Long runs of combining marks, which `normalize` sorts in quadratic time, are truncated first. */
export function decomposed(text: string): string {
  return text.replace(manyMarks, '$1').normalize('NFD');
}
