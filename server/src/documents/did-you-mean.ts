import { editDistance } from '@session-launch/process/edit-distance';

/** Longer words, in characters, are not compared. */
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
    const allowed = Math.max(1, Math.floor(Math.min(target.length, candidate.length) / 3));
    const edits = isAbbreviated ? 1 : editDistance(target, word, allowed);
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
