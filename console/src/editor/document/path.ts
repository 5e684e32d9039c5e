/** A place in a document: names of fields and indexes of list items. */
export type Path = readonly (string | number)[];

/** Formats a path as the service does: `runtime.mind.topics[1].ask.en`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** Parses a path as the service formats it. */
export function parsePath(text: string): Path {
  return [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) =>
    index === undefined ? step : Number(index),
  );
}

/** The value at a path, or `undefined` if there is none. */
export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const step of path) {
    // Only own fields: a free-form object may have a field such as `constructor`, or have none.
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

/**
 * Returns a copy of a document with another value at a path. Parts beside the path are shared with the original, so that parts with the
 * same reference have not changed. `undefined` removes a field or a list item. Objects that are missing on the way are created.
 */
export function withValue<T>(document: T, path: Path, value: unknown): T {
  const [step, ...rest] = path;
  if (step === undefined) return value as T;
  if (typeof step === 'number') {
    const items = [...((document as unknown[] | undefined) ?? [])];
    if (rest.length === 0 && value === undefined) items.splice(step, 1);
    else items[step] = withValue(items[step], rest, value);
    return items as T;
  }
  const changed = withValue(valueAt(document, [step]), rest, value);
  if (changed === undefined) {
    const { [step]: _, ...others } = (document ?? {}) as Record<string, unknown>;
    return others as T;
  }
  // Assigned to a copy, so that the fields keep their order.
  return { ...(document ?? {}), [step]: changed } as T;
}
