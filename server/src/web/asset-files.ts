import type { Stats } from 'node:fs';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { ArtKind } from '@session-launch/contract/admin/art';
import { LRUCache } from 'lru-cache';
import { type Picture, readPicture, typeOf } from '../art/picture.ts';

export const assetFolders = ['avatars', 'locations'] as const;
export type AssetFolder = (typeof assetFolders)[number];

export interface AssetFile {
  /** The path in the file system. */
  path: string;
  stats: Stats;
}

/** Finds a file below `avatars/` or `locations/` of the asset folder. */
export async function locate(
  assetsDir: string,
  folder: AssetFolder,
  name: string,
): Promise<AssetFile | undefined> {
  if (!isPlain(name)) return undefined;
  const root = join(assetsDir, folder);
  const path = join(root, name);
  const target = await realpath(path).catch(() => undefined);
  const stats = target === undefined ? undefined : await stat(target).catch(() => undefined);
  if (target === undefined || !stats?.isFile()) return undefined;
  // Symbolic links may point inside the asset folder (which may itself be a link) but not out of it.
  const roots = await Promise.all([assetsDir, root].map((one) => realpath(one)));
  return roots.some((one) => target.startsWith(one + sep)) ? { path, stats } : undefined;
}

/** Accepts only plain file names below folders: no `.` or `..`, no hidden file, no other separator. */
function isPlain(path: string): boolean {
  return path.split('/').every((name) => name !== '' && !name.startsWith('.') && !/[\\\0]/.test(name));
}

/** A picture of the asset folder. */
export interface AssetPicture extends Picture {
  kind: ArtKind;
  bytes: number;
}

/** Larger files are recognised by their beginning, without a size in pixels. */
const maxRead = 4 * 1024 * 1024;
const headLength = 4_096;

/** Recognises the pictures of the asset folder, and remembers them until their files change. */
export class AssetPictures {
  readonly #assetsDir: string;
  readonly #known = new LRUCache<string, AssetPicture>({ max: 1_000 });

  constructor(assetsDir: string) {
    this.#assetsDir = assetsDir;
  }

  /** Returns the picture that a path such as `/avatars/ines/thumb.svg` leads to. */
  async find(path: string): Promise<AssetPicture | undefined> {
    const [, folder, name] = /^\/(avatars|locations)\/(.+)$/.exec(decoded(path) ?? '') ?? [];
    if (folder === undefined || name === undefined) return undefined;
    const file = await locate(this.#assetsDir, folder as AssetFolder, name);
    if (file === undefined) return undefined;
    const { size: bytes, mtimeMs } = file.stats;
    const key = `${path} ${bytes} ${mtimeMs}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const picture = await recognise(file).catch(() => undefined);
    if (picture === undefined) return undefined;
    const found = { ...picture, kind: folder === 'avatars' ? 'avatar' : 'location', bytes } as const;
    this.#known.set(key, found);
    return found;
  }
}

async function recognise({ path, stats }: AssetFile): Promise<Picture | undefined> {
  const content = stats.size <= maxRead ? await readFile(path) : await readStart(path);
  const picture = stats.size <= maxRead ? readPicture(content) : undefined;
  if (picture !== undefined && !('problem' in picture)) return picture;
  const type = typeOf(content);
  return type && { type };
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
