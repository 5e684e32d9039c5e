import type { Difference } from './differences.ts';
import { isItemList, itemsById, type Place, placeText } from './items.ts';
import { type Fields, fieldOf, isFields, isSame, namesOf } from './same.ts';

export type Side = 'mine' | 'theirs';

/** A field that both sides changed, differently. `undefined` means that a side removed it. */
export interface Clash extends Pick<Difference, 'place' | 'isOrder'> {
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

export interface Merged<T> {
  document: T;
  clashes: Clash[];
}

/**
 * Merges the changes that two sides made to one document. Items of lists are matched by their ids. Where both changed the same field,
 * `choices` decides by the text of the place; without a choice, `mine` is taken.
 */
export function merge<T>(
  base: T,
  mine: T,
  theirs: T,
  choices: Readonly<Record<string, Side>> = {},
): Merged<T> {
  const clashes: Clash[] = [];
  const document = mergeAt(base, mine, theirs, [], (clash) => {
    clashes.push(clash);
    return choices[placeText(clash.place)] ?? 'mine';
  });
  return { document: document as T, clashes };
}

type Choose = (clash: Clash) => Side;

function mergeAt(base: unknown, mine: unknown, theirs: unknown, place: Place, choose: Choose): unknown {
  if (isSame(mine, theirs) || isSame(base, theirs)) return mine;
  if (isSame(base, mine)) return theirs;
  if (isItemList(place)) {
    const merged = mergeItems(base, mine, theirs, place, choose);
    if (merged !== undefined) return merged;
  }
  if (isFields(mine) && isFields(theirs))
    return mergeFields(isFields(base) ? base : {}, mine, theirs, place, choose);
  return choose({ place, base, mine, theirs }) === 'mine' ? mine : theirs;
}

function mergeFields(base: Fields, mine: Fields, theirs: Fields, place: Place, choose: Choose): Fields {
  const fields = namesOf(mine, theirs).map((name) => {
    const [ofBase, ofMine, ofTheirs] = [base, mine, theirs].map((one) => fieldOf(one, name));
    return [name, mergeAt(ofBase, ofMine, ofTheirs, [...place, name], choose)] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function mergeItems(
  base: unknown,
  mine: unknown,
  theirs: unknown,
  place: Place,
  choose: Choose,
): unknown[] | undefined {
  const [ofBase, ofMine, ofTheirs] = [base, mine, theirs].map((list) => itemsById(place, list ?? []));
  if (ofBase === undefined || ofMine === undefined || ofTheirs === undefined) return undefined;
  const merged = new Map<string, unknown>();
  for (const id of new Set([...ofMine.keys(), ...ofTheirs.keys()])) {
    const at = [...place, { id }];
    const item = mergeAt(ofBase.get(id), ofMine.get(id), ofTheirs.get(id), at, choose);
    if (item !== undefined) merged.set(id, item);
  }
  const order = mergeOrder([...ofBase.keys()], [...ofMine.keys()], [...ofTheirs.keys()], place, choose);
  return order.flatMap((id) => (merged.has(id) ? [merged.get(id)] : []));
}

/** The order of the side that moved items; if both did, of the chosen one. Items that only the other side has keep their predecessor. */
function mergeOrder(
  base: string[],
  mine: string[],
  theirs: string[],
  place: Place,
  choose: Choose,
): string[] {
  const inAll = (ids: string[]) =>
    ids.filter((id) => base.includes(id) && mine.includes(id) && theirs.includes(id));
  const [ofBase, ofMine, ofTheirs] = [inAll(base), inAll(mine), inAll(theirs)];
  const haveBothMoved = !isSame(ofBase, ofMine) && !isSame(ofBase, ofTheirs) && !isSame(ofMine, ofTheirs);
  let side: Side = isSame(ofBase, ofMine) ? 'theirs' : 'mine';
  if (haveBothMoved) side = choose({ place, base: ofBase, mine: ofMine, theirs: ofTheirs, isOrder: true });
  const [first, second] = side === 'mine' ? [mine, theirs] : [theirs, mine];
  const order = [...first];
  second.forEach((id, n) => {
    if (order.includes(id)) return;
    const before = second[n - 1];
    order.splice(before === undefined ? 0 : order.indexOf(before) + 1, 0, id);
  });
  return order;
}
