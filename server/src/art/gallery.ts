import { LRUCache } from 'lru-cache';
import { type LookUpClient, type LookUpCounts, LookUps } from '../store/cache/look-ups.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { StoreUnavailable } from '../store/database-errors.ts';
import { faceFileIn, fileOf, findFaces, pathsOf, readFaceFile } from './faces.ts';
import { findNamed, nameIn, pathOf, readContent } from './pictures.ts';
import { WorkQueue } from './work-queue.ts';

/** Maximum bytes of cached content. */
const maxCachedBytes = 32 * 1024 * 1024;
/** Pictures that are read from the database at once. Each takes up to 4 MiB, and twice that while the driver decodes it. */
const maxReads = 2;
const maxWaitingReads = 256;

/** An uploaded file: a picture, or a file of a face. */
export interface GalleryFile {
  path: string;
  projectId: string;
  /** Media type. */
  type: string;
  /** Names the content, which never changes. */
  tag: string;
  read(): Promise<Buffer | undefined>;
}

/** Uploaded pictures and faces as the listeners serve them. */
export interface Gallery {
  /** The file with this path; `null` if there is none. At most five seconds behind the database. */
  find(path: string, client: LookUpClient): Promise<GalleryFile | null>;
  /** The content of a file; `undefined` if it was deleted in the meantime. */
  read(file: GalleryFile): Promise<Buffer | undefined>;
  readonly counts: LookUpCounts;
}

export function openGallery(database: Database, changes: Changes): Gallery {
  const lookUps = new LookUps<GalleryFile>(10_000, async (paths) => {
    const [pictures, faces] = await Promise.all([
      findPictures(database, paths),
      findFilesOfFaces(database, paths),
    ]);
    return new Map([...pictures, ...faces].map((file) => [file.path, file]));
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
    else if (change.kind === 'art' || change.kind === 'face')
      lookUps.forget(({ projectId }) => projectId === change.projectId);
  });
  const load = async (file: GalleryFile): Promise<Buffer | undefined> => {
    const reading = reads.run(() => file.read());
    if (reading === undefined) throw new StoreUnavailable('too many pictures are being read');
    const content = await reading;
    if (content !== undefined) contents.set(file.path, content);
    return content;
  };
  return {
    counts: lookUps.counts,
    find: async (path, client) => {
      if (nameIn(path) === undefined && faceFileIn(path) === undefined) return null;
      return lookUps.get(path, client);
    },
    read: (file) => {
      const cached = contents.get(file.path);
      if (cached !== undefined) return Promise.resolve(cached);
      let pending = loading.get(file.path);
      if (pending === undefined) {
        pending = load(file).finally(() => loading.delete(file.path));
        loading.set(file.path, pending);
      }
      return pending;
    },
  };
}

async function findPictures(database: Database, paths: readonly string[]): Promise<GalleryFile[]> {
  const names = paths.map(nameIn).filter((name) => name !== undefined);
  if (names.length === 0) return [];
  return (await findNamed(database, names)).map((art) => ({
    path: pathOf(art),
    projectId: art.projectId,
    type: art.type,
    tag: art.hash,
    read: () => readContent(database, art.id),
  }));
}

async function findFilesOfFaces(database: Database, paths: readonly string[]): Promise<GalleryFile[]> {
  const wanted = paths.map(faceFileIn).filter((one) => one !== undefined);
  if (wanted.length === 0) return [];
  const faces = await findFaces(database, [...new Set(wanted.map(({ faceId }) => faceId))]);
  return faces.flatMap((face) =>
    (['full', 'thumb', 'rig'] as const).flatMap((file) =>
      pathsOf(face, file).map((path) => ({
        ...fileOf(face, file),
        path,
        projectId: face.projectId,
        tag: `${face.id}-${file}`,
        read: () => readFaceFile(database, face.id, file),
      })),
    ),
  );
}
