const storeName = 'unsaved';

/** Runs a request on the values. Resolves once its transaction is complete. */
type Run = <T>(mode: IDBTransactionMode, work: (values: IDBObjectStore) => IDBRequest<T>) => Promise<T>;

/** Values by key in an IndexedDB database, which is opened by the first request. They survive reloads and crashes of the browser. */
export function storedValues(databaseName: string): Run {
  let opened: Promise<IDBDatabase> | undefined;
  const open = () =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open(databaseName, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
  return async (mode, work) => {
    opened ??= open();
    const transaction = (await opened).transaction(storeName, mode);
    const asked = work(transaction.objectStore(storeName));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onabort = () => reject(transaction.error);
    });
  };
}
