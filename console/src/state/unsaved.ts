const databaseName = 'session-launch-portal';
const storeName = 'unsaved';

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  return opened;
}

/** Runs one request on the store. Browsers without IndexedDB, such as some private windows, keep nothing. */
async function onStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    const request = work((await open()).transaction(storeName, mode).objectStore(storeName));
    return await new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } catch {
    return undefined;
  }
}

/** Stores what somebody typed and has not sent yet, so that it survives a reload. Never call it with a token or a key. */
export async function keep(key: string, value: unknown): Promise<void> {
  await onStore('readwrite', (store) => store.put(value, key));
}

export function kept<T>(key: string): Promise<T | undefined> {
  return onStore<T>('readonly', (store) => store.get(key) as IDBRequest<T>);
}

export async function forget(key: string): Promise<void> {
  await onStore('readwrite', (store) => store.delete(key));
}

/** For signing out: the next person at this browser gets nothing. */
export async function forgetAll(): Promise<void> {
  await onStore('readwrite', (store) => store.clear());
}
