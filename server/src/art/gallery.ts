import { LRUCache } from 'lru-cache';
import { type LookUpClient, type LookUpCounts, LookUps } from '../store/cache/look-ups.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { StoreUnavailable } from '../store/database-errors.ts';
import { extensionOf } from './picture.ts';
import { type Art, findNamed, nameIn, pathOf, readContent } from './pictures.ts';
import { WorkQueue } from './work-queue.ts';

/** Maximum bytes of cached content. */
const maxCachedBytes = 32 * 1024 * 1024;
/** Pictures that are read from the database at once. Each takes up to 4 MiB, and twice that while the driver decodes it. */
const maxReads = 2;
const maxWaitingReads = 256;

/** Uploaded pictures as the listeners serve them. */
export interface Gallery {
  /** The picture with this path; `null` if there is none. At most five seconds behind the database. */
  find(path: string, client: LookUpClient): Promise<Art | null>;
  /** The content of a picture; `undefined` if it was deleted in the meantime. */
  read(art: Art): Promise<Buffer | undefined>;
  readonly counts: LookUpCounts;
}

export function openGallery(database: Database, changes: Changes): Gallery {
  const lookUps = new LookUps<Art>(10_000, async (paths) => {
    const found = await findNamed(
      database,
      paths.map((path) => nameIn(path)!),
    );
    return new Map(found.map((art) => [pathOf(art), art]));
  });
  // The content of a picture never changes. It is served only after `find`, so a deleted picture may stay cached.
  const contents = new LRUCache<string, Buffer>({
    maxSize: maxCachedBytes,
    sizeCalculation: ({ length }) => length || 1,
  });
  const loading = new Map<string, Promise<Buffer | undefined>>();
  const reads = new WorkQueue(maxReads, maxWaitingReads);
  changes.onChange((change) => {
    if (change === undefined || change.kind === 'project') lookUps.forget();
    else if (change.kind === 'art') lookUps.forget(({ projectId }) => projectId === change.projectId);
  });
  const load = async ({ id }: Art): Promise<Buffer | undefined> => {
    const reading = reads.run(() => readContent(database, id));
    if (reading === undefined) throw new StoreUnavailable('too many pictures are being read');
    const content = await reading;
    if (content !== undefined) contents.set(id, content);
    return content;
  };
  return {
    counts: lookUps.counts,
    find: async (path, client) => {
      const name = nameIn(path);
      if (name === undefined) return null;
      const art = await lookUps.get(path, client);
      return art !== null && extensionOf(art.type) === name.extension ? art : null;
    },
    read: (art) => {
      const cached = contents.get(art.id);
      if (cached !== undefined) return Promise.resolve(cached);
      let pending = loading.get(art.id);
      if (pending === undefined) {
        pending = load(art).finally(() => loading.delete(art.id));
        loading.set(art.id, pending);
      }
      return pending;
    },
  };
}
