import { readFile } from 'node:fs/promises';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import { statementsOf } from '../../src/store/migrations/migrations.ts';

/** A dump of a database of version 0.1.0, with six sessions. */
export const readOldDump = () => readFile(new URL('../fixtures/database-0.1.0.sql', import.meta.url), 'utf8');

/** Creates a data folder whose database is one of version 0.1.0. */
export async function oldDataFolder(path: string): Promise<string> {
  const dataDir = await prepareDataFolder(path);
  const database = await openEmbedded(dataDir);
  try {
    await database.client.query('DROP SCHEMA public CASCADE');
    await database.client.query('CREATE SCHEMA public');
    for (const statement of statementsOf(await readOldDump())) await database.client.query(statement);
  } finally {
    await database.close();
  }
  return dataDir;
}
