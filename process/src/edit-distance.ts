/**
 * Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbouring letters. Returns `max` + 1 if it exceeds
 * `max`. Only cells within `max` of the diagonal are computed, so the time is proportional to length × `max`.
 */
export function editDistance(from: string, to: string, max: number): number {
  const tooMany = max + 1;
  if (Math.abs(from.length - to.length) > max) return tooMany;
  const width = to.length + 1;
  let [beforeLast, last, current] = [row(width), row(width), row(width)];
  for (let column = 0; column < width; column++) last[column] = Math.min(column, tooMany);
  for (let line = 1; line <= from.length; line++) {
    const [first, end] = [Math.max(1, line - max), Math.min(to.length, line + max)];
    current[first - 1] = first === 1 ? Math.min(line, tooMany) : tooMany;
    let fewest = current[first - 1]!;
    for (let column = first; column <= end; column++) {
      const isSame = from[line - 1] === to[column - 1];
      // The band of the row above ends one column earlier.
      const above = column === line + max ? tooMany : last[column]!;
      let edits = Math.min(above + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      if (line > 1 && column > 1 && from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1])
        edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current[column] = Math.min(edits, tooMany);
      fewest = Math.min(fewest, edits);
    }
    if (fewest > max) return tooMany;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[to.length]!;
}

const row = (width: number) => new Uint16Array(width);

/** Maximum characters of each text that are compared. */
const compared = 256;

/** Similarity of two texts from 0 to 1, based on their edit distance; 0 if it is below `least`. */
export function similarity(a: string, b: string, least: number): number {
  const [shorter, longer] = a.length < b.length ? [a.length, b.length] : [b.length, a.length];
  if (longer === 0 || shorter / longer < least) return 0;
  const length = Math.min(longer, compared);
  const max = Math.floor(length * (1 - least));
  const edits = editDistance(a.slice(0, compared), b.slice(0, compared), max);
  return edits > max ? 0 : 1 - edits / length;
}
