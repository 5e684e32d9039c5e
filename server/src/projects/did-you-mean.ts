/** Longer words, in characters, are not compared: edit distance takes quadratic time. */
const maxLength = 64;

/** The candidate closest to a misspelt word, or undefined if none is close. */
export function nearest(written: string, candidates: readonly string[]): string | undefined {
  if (written.length > maxLength) return undefined;
  const target = folded(written);
  let best: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const word = folded(candidate);
    const isAbbreviated = target.length >= 3 && word.startsWith(target);
    const edits = isAbbreviated ? 1 : editDistance(target, word);
    const allowed = Math.max(1, Math.floor(Math.min(target.length, candidate.length) / 3));
    if (edits <= allowed && edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

/** Ignores case and separators: `sort_order`, `Sort-Order` and `sortOrder` are equal. */
function folded(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

/** Damerau-Levenshtein distance (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        edits = Math.min(edits, beforeLast[column - 2]! + 1);
      }
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
