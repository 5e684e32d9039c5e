/** The items of a list as shown: the id of each, and a key that stays the same while the item is renamed or moved. */
export interface ItemKeys {
  ids: readonly string[];
  keys: readonly number[];
}

let last = 0;

/** Finds the keys of a list that has changed. If the length is the same, a new id at the index of a missing one is a rename. */
export function keysAfter(before: ItemKeys, ids: readonly string[]): ItemKeys {
  const free = new Map<string, number[]>();
  before.ids.forEach((id, n) => {
    free.set(id, [...(free.get(id) ?? []), before.keys[n]!]);
  });
  const found = ids.map((id) => free.get(id)?.shift());
  const used = new Set(found);
  const keys = found.map((key, n) => {
    if (key !== undefined) return key;
    const there = before.keys[n];
    const isRenamed = before.ids.length === ids.length && there !== undefined && !used.has(there);
    return isRenamed ? there : ++last;
  });
  return { ids, keys };
}
