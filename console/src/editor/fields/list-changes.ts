/** An item of a list in the document. */
export type Item = Record<string, unknown>;

/** Returns the list with an item moved to another place. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const others = items.filter((_, n) => n !== from);
  return [...others.slice(0, to), items[from]!, ...others.slice(to)];
}

export function inserted<T>(items: readonly T[], at: number, item: T): T[] {
  return [...items.slice(0, at), item, ...items.slice(at)];
}

export const removed = <T>(items: readonly T[], at: number): T[] => items.filter((_, n) => n !== at);

/** An id that the list does not have yet: `tides`, `tides-2`, `tides-3`. The end of a long id is cut. */
export function freeId(wanted: string, taken: readonly unknown[]): string {
  for (let n = 1; ; n++) {
    const end = n === 1 ? '' : `-${n}`;
    const id = `${wanted.slice(0, 64 - end.length)}${end}`;
    if (!taken.includes(id)) return id;
  }
}
