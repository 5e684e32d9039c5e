import fs from 'node:fs';
import { dirname, join } from 'node:path';

/** Concurrent fsync calls; disks combine concurrent requests. */
const concurrency = 16;

/** Syncs a folder, so that the names in it are durable: fsync of a file does not cover its directory entry. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform !== 'win32') await syncFile(folder);
}

/** Syncs every file in a folder, and the folder's own name. */
export async function syncTree(folder: string): Promise<void> {
  const { files, folders } = await contents(folder);
  await each(files, syncFile);
  await each([...folders, dirname(folder)], syncFolder);
}

/** Restricts a folder and its contents to their owner. */
export async function closeToOthers(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await fs.promises.chmod(folder, 0o700);
  const { files, folders } = await contents(folder);
  await each(folders, (path) => fs.promises.chmod(path, 0o700));
  await each(files, (path) => fs.promises.chmod(path, 0o600));
}

/** Whether group or others have any permission on a file or folder. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  return process.platform !== 'win32' && ((await fs.promises.stat(path)).mode & 0o077) !== 0;
}

/** Bytes that this user may still write on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await fs.promises.statfs(folder);
  return bavail * bsize;
}

async function contents(folder: string): Promise<{ files: string[]; folders: string[] }> {
  const entries = await fs.promises.readdir(folder, { withFileTypes: true, recursive: true });
  const paths = (wanted: (entry: fs.Dirent) => boolean) =>
    entries.filter(wanted).map((entry) => join(entry.parentPath, entry.name));
  return {
    files: paths((entry) => entry.isFile()),
    folders: [folder, ...paths((entry) => entry.isDirectory())],
  };
}

/** Waits until the content of a file, or the names in a folder, are on the disk. */
async function syncFile(path: string): Promise<void> {
  const handle = await fs.promises.open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function each<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
