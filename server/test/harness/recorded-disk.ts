import fs from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '@session-launch/testing/fleet.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { CrashedDisk, type Luck, type Recorded, readJournal } from './crashed-disk.ts';
import { withVariables } from './failing-disk.ts';

const preload = fileURLToPath(new URL('./recorded-disk.cjs', import.meta.url));
const { record } = createRequire(import.meta.url)(preload) as {
  record(root: string, journal: string): () => void;
};

/** A data folder on a disk that remembers everything it was told, and can be found as it is after a power cut. */
export async function recordedDisk(cleanup: Cleanup) {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const root = join(folder.path, 'data');
  const journal = join(folder.path, 'journal');
  fs.mkdirSync(root, { mode: 0o700 });
  const inode = String(fs.statSync(root, { bigint: true }).ino);
  let found = 0;
  return {
    path: folder.path,
    root,
    /** How much it has been told so far. */
    position: async () => (await stat(journal)).size,
    changes: () => readJournal(journal),
    /** Opens an engine whose thread records as well, with further variables. */
    opening: async <T>(env: Record<string, string>, open: () => Promise<T>): Promise<T> => {
      const stop = record(root, journal);
      const variables = {
        ...env,
        NODE_OPTIONS: `--require ${JSON.stringify(preload)} ${env.NODE_OPTIONS ?? ''}`,
        RECORDED_DISK: JSON.stringify({ root, journal }),
      };
      return withVariables(variables, open).finally(stop);
    },
    /** Has a look at what is found when the power fails right after the last of these changes. */
    afterPowerCut: async <T>(
      changes: Recorded[],
      luck: Luck,
      look: (dataDir: string) => Promise<T>,
    ): Promise<T> => {
      const disk = new CrashedDisk(inode);
      for (const change of changes) disk.apply(change);
      const dataDir = join(folder.path, `found-${found++}`);
      await disk.restore(dataDir, luck);
      return look(dataDir).finally(() => rm(dataDir, { recursive: true }));
    },
  };
}
