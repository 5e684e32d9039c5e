import fs from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrashedDisk, type Luck, type Recorded, readJournal } from './crashed-disk.ts';
import { withVariables } from './failing-disk.ts';

const preload = fileURLToPath(new URL('./recorded-disk.cjs', import.meta.url));
const { record } = createRequire(import.meta.url)(preload) as {
  record(root: string, journal: string): () => void;
};

/** The journal of a folder, and the inode of that folder in it. */
export interface Journal {
  file: string;
  inode: string;
}

/** Records the changes to a folder. Its existing content is recorded as written and synced. */
export function recordedDisk(root: string, file: string) {
  const journal: Journal = { file, inode: inodeOf(root) };
  fs.writeFileSync(file, Buffer.concat(held(root)));
  return {
    journal,
    /** Current size of the journal in bytes. */
    position: async () => (await stat(file)).size,
    /** Opens an engine whose thread records as well. `env` adds environment variables. */
    opening: async <T>(env: Record<string, string>, open: () => Promise<T>): Promise<T> => {
      const stop = record(root, file);
      const variables = {
        ...env,
        NODE_OPTIONS: `--require ${JSON.stringify(preload)} ${env.NODE_OPTIONS ?? ''}`,
        RECORDED_DISK: JSON.stringify({ root, journal: file }),
      };
      return withVariables(variables, open).finally(stop);
    },
  };
}

/** A recorded disk that can simulate any number of power losses. */
export async function crashable({ file, inode }: Journal) {
  return {
    changes: await readJournal(file),
    /** Calls `look` with the folder as it is after a power loss right after the last of these changes. */
    afterPowerCut: async <T>(
      changes: Recorded[],
      luck: Luck,
      look: (dataDir: string) => Promise<T>,
    ): Promise<T> => {
      const disk = new CrashedDisk(inode);
      for (const change of changes) disk.apply(change);
      const found = await mkdtemp(join(tmpdir(), 'session-launch-found-'));
      try {
        await disk.restore(found, luck);
        return await look(found);
      } finally {
        await rm(found, { recursive: true });
      }
    },
  };
}

function inodeOf(path: string): string {
  return String(fs.statSync(path, { bigint: true }).ino);
}

/** The journal entries that create the content of a folder, in the format of recorded-disk.cjs. */
function held(folder: string): Buffer[] {
  const parts: Buffer[] = [];
  const note = (entry: object, data = Buffer.alloc(0)) =>
    parts.push(Buffer.from(`${JSON.stringify({ ...entry, bytes: data.length })}\n`), data);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const inode = inodeOf(path);
    note({ op: entry.isDirectory() ? 'folder' : 'create', path, folder: inodeOf(folder), inode });
    if (entry.isDirectory()) parts.push(...held(path));
    else {
      note({ op: 'write', inode, at: 0 }, fs.readFileSync(path));
      note({ op: 'sync', inode });
    }
  }
  note({ op: 'sync', inode: inodeOf(folder) });
  return parts;
}
