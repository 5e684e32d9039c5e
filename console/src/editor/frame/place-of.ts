import { itemsById, type Place } from '../document/items.ts';
import { type Path, valueAt } from '../document/path.ts';

/** The place that a path leads to in a document. */
export function placeOf(path: Path, document: unknown): Place {
  const place: Place[number][] = [];
  path.forEach((step, n) => {
    if (typeof step === 'string') {
      place.push(step);
      return;
    }
    const ids = itemsById(place, valueAt(document, path.slice(0, n)));
    const id = [...(ids?.keys() ?? [])][step];
    place.push(id === undefined ? String(step + 1) : { id });
  });
  return place;
}
