import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Bytes that the disk writes atomically: smaller writes are never torn. */
const sector = 512;

type Change =
  | { op: 'create' | 'folder'; path: string; folder: string; inode: string }
  | { op: 'write'; inode: string; at: number; data: Buffer }
  | { op: 'cut'; inode: string; at: number }
  | { op: 'sync'; inode: string }
  | { op: 'move'; path: string; to: string; folder: string }
  | { op: 'remove'; path: string; folder: string };

/** Decides whether an unsynced change, a name or the bytes of a sector, reached the disk. */
export type Luck = (what: 'name' | 'bytes') => boolean;

/** A change with the offset in the journal at which it ends. */
export type Recorded = Change & { end: number };

/** Parses the journal written by recorded-disk.cjs. */
export async function readJournal(file: string): Promise<Recorded[]> {
  const text = await readFile(file);
  const changes: Recorded[] = [];
  for (let at = 0; at < text.length; ) {
    const line = text.indexOf('\n', at) + 1;
    const { bytes, ...change } = JSON.parse(text.toString('utf8', at, line));
    at = line + bytes;
    changes.push({ ...change, data: text.subarray(line, at), end: at });
  }
  return changes;
}

interface File {
  durable: Buffer;
  unsynced: ({ at: number; data: Buffer } | { size: number })[];
}

interface Folder {
  durable: Map<string, Node>;
  unsynced: ((names: Map<string, Node>) => void)[];
  /** The entries that a program sees, including unsynced ones. */
  names: Map<string, Node>;
}

type Node = File | Folder;

/**
 * Simulates a disk after a power loss: synced data is kept, and of unsynced data an arbitrary subset of sectors. Follows POSIX strictly:
 * a file name is durable only after its folder was synced. Name changes are kept in order, as in journaling file systems.
 */
export class CrashedDisk {
  readonly #nodes = new Map<string, Node>();
  readonly #root: Folder = emptyFolder();

  constructor(rootInode: string) {
    this.#nodes.set(rootInode, this.#root);
  }

  apply(change: Change): void {
    switch (change.op) {
      case 'create':
      case 'folder': {
        const node = change.op === 'folder' ? emptyFolder() : { durable: Buffer.alloc(0), unsynced: [] };
        this.#nodes.set(change.inode, node);
        this.#rename(change.folder, (names) => names.set(basename(change.path), node));
        break;
      }
      case 'write':
        this.#file(change.inode).unsynced.push({ at: change.at, data: change.data });
        break;
      case 'cut':
        this.#file(change.inode).unsynced.push({ size: change.at });
        break;
      case 'sync':
        this.#sync(this.#nodes.get(change.inode)!);
        break;
      case 'remove':
        this.#rename(change.folder, (names) => names.delete(basename(change.path)));
        break;
      case 'move': {
        const [from, to] = [basename(change.path), basename(change.to)];
        const node = this.#folder(change.folder).names.get(from);
        if (node === undefined) throw new Error(`moved from another folder: ${change.path}`);
        this.#rename(change.folder, (names) => {
          names.delete(from);
          names.set(to, node);
        });
      }
    }
  }

  /** Writes the state of the disk after the power loss to a folder. */
  async restore(target: string, luck: Luck): Promise<void> {
    await restoreFolder(this.#root, target, luck);
  }

  #rename(inode: string, change: (names: Map<string, Node>) => void): void {
    const folder = this.#folder(inode);
    change(folder.names);
    folder.unsynced.push(change);
  }

  #sync(node: Node): void {
    if ('names' in node) node.durable = new Map(node.names);
    else if (!wroteInPlace(node)) node.durable = written(node, () => true);
    node.unsynced = [];
  }

  #file(inode: string): File {
    return this.#nodes.get(inode) as File;
  }

  #folder(inode: string): Folder {
    return this.#nodes.get(inode) as Folder;
  }
}

/** Applies writes to the durable buffer in place: copying the whole log for every sync would take minutes. */
function wroteInPlace({ durable, unsynced }: File): boolean {
  const fits = (one: File['unsynced'][number]) => 'data' in one && one.at + one.data.length <= durable.length;
  if (!unsynced.every(fits)) return false;
  for (const one of unsynced) if ('data' in one) one.data.copy(durable, one.at);
  return true;
}

function emptyFolder(): Folder {
  return { durable: new Map(), unsynced: [], names: new Map() };
}

async function restoreFolder(folder: Folder, target: string, luck: Luck): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  const names = new Map(folder.durable);
  for (const change of folder.unsynced) {
    if (!luck('name')) break;
    change(names);
  }
  for (const [name, node] of names) {
    const path = join(target, name);
    if ('names' in node) await restoreFolder(node, path, luck);
    else await writeFile(path, written(node, luck));
  }
}

/** The content of a file after the power loss: `luck` decides for each unsynced sector whether it was written. */
function written({ durable, unsynced }: File, luck: Luck): Buffer {
  const ends = unsynced.map((one) => ('size' in one ? one.size : one.at + one.data.length));
  const content = Buffer.alloc(Math.max(durable.length, ...ends));
  durable.copy(content);
  let end = durable.length;
  for (const one of unsynced) {
    if ('data' in one) end = Math.max(end, writeSectors(content, one, luck));
    else if (luck('bytes')) {
      content.fill(0, one.size);
      end = one.size;
    }
  }
  return content.subarray(0, end);
}

/** Returns the offset up to which bytes were written. */
function writeSectors(content: Buffer, { at, data }: { at: number; data: Buffer }, luck: Luck): number {
  let end = 0;
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, from + sector - ((at + from) % sector));
    if (luck('bytes')) {
      data.copy(content, at + from, from, to);
      end = at + to;
    }
    from = to;
  }
  return end;
}
