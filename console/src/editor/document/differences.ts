import { isItemList, itemsById, type Place } from './items.ts';
import { fieldOf, isFields, isSame, namesOf } from './same.ts';

/** A field that differs between two documents. `undefined` means that the field is missing. */
export interface Difference {
  place: Place;
  before: unknown;
  after: unknown;
  /** Whether only the order of a list differs. The values are then the ids that both lists have, in their order. */
  isOrder?: true;
}

/**
 * The differences between two documents, field by field. Items of lists are matched by their ids, so that a new item at the beginning is
 * one difference.
 */
export function differences(before: unknown, after: unknown, place: Place = []): Difference[] {
  if (isSame(before, after)) return [];
  const items = isItemList(place) ? itemDifferences(before, after, place) : undefined;
  if (items !== undefined) return items;
  // An object that is new or removed is reported field by field, unless it is an item of a list.
  const isItem = typeof place.at(-1) === 'object';
  const [one, other] = isItem ? [before, after] : [before ?? {}, after ?? {}];
  if (isFields(one) && isFields(other)) {
    const found = namesOf(one, other).flatMap((name) =>
      differences(fieldOf(one, name), fieldOf(other, name), [...place, name]),
    );
    if (found.length > 0) return found;
  }
  return [{ place, before, after }];
}

function itemDifferences(before: unknown, after: unknown, place: Place): Difference[] | undefined {
  const one = itemsById(place, before ?? []);
  const other = itemsById(place, after ?? []);
  if (one === undefined || other === undefined) return undefined;
  const ids = [...new Set([...one.keys(), ...other.keys()])];
  const found = ids.flatMap((id) => differences(one.get(id), other.get(id), [...place, { id }]));
  const ordered = [...one.keys()].filter((id) => other.has(id));
  const reordered = [...other.keys()].filter((id) => one.has(id));
  if (isSame(ordered, reordered)) return found;
  return [...found, { place, before: ordered, after: reordered, isOrder: true }];
}
