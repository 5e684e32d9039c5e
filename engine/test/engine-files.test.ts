import { PGlite } from '@electric-sql/pglite';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { expect, test } from 'vitest';
import { EngineFiles, startParams } from '../src/engine-files.js';

const cleanup = useCleanup();

async function open(params: string[]): Promise<{ files: EngineFiles; database: PGlite }> {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const files = new EngineFiles(`${await prepareDataFolder(folder.path)}/database`);
  const database = await PGlite.create({ fs: files, startParams: params });
  cleanup(() => database.close());
  return { files, database };
}

test('an engine whose commits are synced to disk starts', async () => {
  const { files, database } = await open(startParams);
  await files.started(database);
});

// PGlite's own method of syncing does nothing.
test.each([['-F'], ['-c', 'wal_sync_method=fdatasync']])(
  'an engine whose commits are not synced to disk is refused (%s %s)',
  async (...params) => {
    const { files, database } = await open([...startParams, ...params]);
    await expect(files.started(database)).rejects.toThrow('a commit was not synced to disk');
  },
);
