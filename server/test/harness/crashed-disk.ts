import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Smaller than this, nothing is torn. */
const sector = 512;

type Change =
  | { op: 'create' | 'folder'; path: string; folder: string; inode: string }
  | { op: 'write'; inode: string; at: number; data: Buffer }
  | { op: 'cut'; inode: string; at: number }
  | { op: 'sync'; inode: string }
  | { op: 'move'; path: string; to: string; folder: string }
  | { op: 'remove'; path: string; folder: string };

/** Whether something that was not synced, a name or the bytes of a sector, got written all the same. */
export type Luck = (what: 'name' | 'bytes') => boolean;

/** A change, and where in the journal it ends. */
export type Recorded = Change & { end: number };

/** Reads what recorded-disk.cjs has written. */
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
  /** As a program sees it. */
  names: Map<string, Node>;
}

type Node = File | Folder;

/**
 * A disk that keeps what was synced and of everything else only what it happened to have written: POSIX to the letter, so that
 * a file's name needs a sync of its folder, too. Names change in their order, as journals of file systems keep them.
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

  /** What is found after the power is back. */
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

/** Copying the whole of a log for every sync of it would take minutes. */
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

/** The content of a file of which each unsynced sector was written or not. */
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

/** Up to where something was written. */
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
