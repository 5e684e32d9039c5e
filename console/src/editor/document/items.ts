import { type Fields, isFields } from './same.ts';

/** A step of a place: a field, or the item of a list that has this id. */
export type Step = string | { id: string };

/** A place in an experience that stays the same when the items of a list move. */
export type Place = readonly Step[];

/** The field that identifies the items of a list, for lists whose items have one. */
const idFields: Record<string, string> = {
  'runtime.characters': 'characterId',
  'runtime.mind.topics': 'id',
  'runtime.mind.lessons': 'id',
  'runtime.mind.tools': 'name',
  'runtime.mind.presentation': 'id',
};

/** Formats a place: `runtime.mind.topics[ferries].tell.en`. */
export function placeText(place: Place): string {
  return place.reduce<string>((text, step) => {
    if (typeof step !== 'string') return `${text}[${step.id}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

export function isItemList(place: Place): boolean {
  return placeText(place) in idFields;
}

/** The items of a list by their ids, or `undefined` if the value is not a list of items with distinct ids. */
export function itemsById(place: Place, list: unknown): Map<string, Fields> | undefined {
  const idField = idFields[placeText(place)];
  if (idField === undefined || !Array.isArray(list)) return undefined;
  const items = new Map<string, Fields>();
  for (const item of list) {
    const id = isFields(item) ? item[idField] : undefined;
    if (typeof id !== 'string' || items.has(id)) return undefined;
    items.set(id, item as Fields);
  }
  return items;
}
