/** An experience and its position. */
export interface Placed {
  id: string;
  sortOrder: number;
}

const gap = 10;
const lowest = -2_147_483_648;
const highest = 2_147_483_647;

/**
 * The experiences whose position must change so that sorting by `sortOrder`, then by id, gives the order of the list. Their number is the
 * smallest possible.
 *
 * Going down the list, `sortOrder` must grow by at least one wherever an id is smaller than the one before it, and may stay equal
 * elsewhere. With the number of such steps subtracted, a set of experiences can keep its positions if and only if its values never
 * decrease. So the longest such subsequence stays, and all others move into the gaps.
 */
export function rearrange(wanted: readonly Placed[]): Placed[] {
  const steps = stepsBefore(wanted);
  const kept = longestAscent(
    wanted.map(({ sortOrder }, i) => sortOrder - steps[i]!),
    (i) =>
      wanted[i]!.sortOrder - steps[i]! >= lowest &&
      wanted[i]!.sortOrder + (steps.at(-1)! - steps[i]!) <= highest,
  );
  const moved: Placed[] = [];
  for (let n = 0; n <= kept.length; n++) {
    const before = n === 0 ? -1 : kept[n - 1]!;
    const after = n === kept.length ? wanted.length : kept[n]!;
    const values = placesBetween(wanted, before, after, steps);
    for (const [k, sortOrder] of values.entries()) {
      const { id, sortOrder: former } = wanted[before + 1 + k]!;
      if (sortOrder !== former) moved.push({ id, sortOrder });
    }
  }
  return moved;
}

/** For each place of the list, how many ids up to it are smaller than the one before. */
function stepsBefore(wanted: readonly Placed[]): number[] {
  let steps = 0;
  return wanted.map(({ id }, i) => {
    if (i > 0 && id < wanted[i - 1]!.id) steps++;
    return steps;
  });
}

/** Indexes of the longest subsequence that never decreases, among the eligible values. */
function longestAscent(values: readonly number[], isEligible: (index: number) => boolean): number[] {
  /** For each length, the index of the smallest value that ends a subsequence of that length. */
  const ends: number[] = [];
  const previous = new Map<number, number | undefined>();
  for (const [i, value] of values.entries()) {
    if (!isEligible(i)) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[ends[middle]!]! <= value) low = middle + 1;
      else high = middle;
    }
    previous.set(i, ends[low - 1]);
    ends[low] = i;
  }
  const found: number[] = [];
  for (let i = ends.at(-1); i !== undefined; i = previous.get(i)) found.unshift(i);
  return found;
}

/** Positions for the places between two that stay; -1 and the length of the list stand for the ends. */
function placesBetween(
  wanted: readonly Placed[],
  before: number,
  after: number,
  steps: readonly number[],
): number[] {
  const number = after - before - 1;
  if (number === 0) return [];
  const places = Array.from({ length: number }, (_, k) => k + 1);
  const low = wanted[before]?.sortOrder;
  const high = wanted[after]?.sortOrder;
  const distance = gap * number;
  if (low === undefined && high === undefined) return places.map((k) => k * gap);
  if (high === undefined && low! + distance <= highest) return places.map((k) => low! + k * gap);
  if (low === undefined && high! - distance >= lowest)
    return places.map((k) => high! - distance + (k - 1) * gap);
  const room = ((high ?? highest + 1) - (low ?? lowest - 1)) / (number + 1);
  if (room >= 1) return places.map((k) => Math.floor((low ?? lowest - 1) + k * room));
  // No room for different positions: only as many as the ids require.
  const first = low === undefined ? lowest : low - steps[before]!;
  return places.map((k) => first + steps[before + k]!);
}
