export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field of an object. A field may be called `__proto__`. */
export function fieldOf(object: Fields, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether two JSON values are equal. The order of fields does not matter, and a field that is `undefined` counts as missing. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, n) => isSame(item, other[n]));
  if (!isFields(one) || !isFields(other)) return false;
  return namesOf(one, other).every((name) => isSame(fieldOf(one, name), fieldOf(other, name)));
}

/** The names of the fields of several objects, each once, in the order of the first object. */
export function namesOf(...objects: Fields[]): string[] {
  return [...new Set(objects.flatMap(Object.keys))];
}

/** Returns `next` with the parts of `old` that are equal, so that parts with the same reference have not changed. */
export function sharing<T>(old: unknown, next: T): T {
  if (Object.is(old, next)) return next;
  if (Array.isArray(old) && Array.isArray(next)) {
    const items = next.map((item, n) => sharing(old[n], item));
    return isUnchanged(old, items) ? (old as T) : (items as T);
  }
  if (!isFields(old) || !isFields(next)) return next;
  const names = Object.keys(next);
  const values = names.map((name) => sharing(fieldOf(old, name), next[name]));
  const isOld =
    names.length === Object.keys(old).length && values.every((value, n) => value === fieldOf(old, names[n]!));
  return isOld ? (old as T) : (Object.fromEntries(names.map((name, n) => [name, values[n]])) as T);
}

function isUnchanged(old: readonly unknown[], items: readonly unknown[]): boolean {
  return old.length === items.length && items.every((item, n) => item === old[n]);
}
