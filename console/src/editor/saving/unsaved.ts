import { storedValues } from '../../state/stored-values.ts';

/** Name of the IndexedDB database with the unsaved changes of experiences. */
const name = 'session-launch-unsaved';
const run = storedValues(name);

/** The name under which localStorage has the value of a key. */
const localName = (key: string) => `${name} ${key}`;

export async function keep(key: string, value: unknown): Promise<void> {
  const before = localStorage.getItem(localName(key));
  await run('readwrite', (values) => values.put(value, key));
  // `keepOnLeaving` may have kept a newer value in the meantime.
  if (localStorage.getItem(localName(key)) === before) localStorage.removeItem(localName(key));
}

/**
 * Keeps a value when the page is left: the browser may abort a transaction that is still open then. The value gets into the database when
 * it is next read.
 */
export function keepOnLeaving(key: string, value: unknown): Promise<void> {
  try {
    localStorage.setItem(localName(key), JSON.stringify(value));
  } catch {
    // Larger than the quota of localStorage. The transaction usually succeeds.
  }
  return keep(key, value);
}

/** The values whose keys start with this text. */
export async function kept<T>(start: string): Promise<{ key: string; value: T }[]> {
  for (const [item, text] of Object.entries(localStorage))
    if (item.startsWith(localName(start))) await keep(item.slice(localName('').length), JSON.parse(text));
  const range = IDBKeyRange.bound(start, `${start}\uffff`);
  const keys = await run('readonly', (values) => values.getAllKeys(range));
  const values = await Promise.all(
    keys.map((key) => run<T | undefined>('readonly', (values) => values.get(key))),
  );
  return keys.flatMap((key, n) => {
    const value = values[n];
    return value === undefined ? [] : [{ key: String(key), value }];
  });
}

export async function forget(key: string): Promise<void> {
  localStorage.removeItem(localName(key));
  await run('readwrite', (values) => values.delete(key));
}
