import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Places } from '@session-launch/testing/leaks.ts';
import type { Database } from '../../src/store/database.ts';
import { openEmbedded } from '../../src/store/embedded.ts';

/** Returns all rows of all tables, by table. */
export async function everyTable(database: Database): Promise<Places> {
  const rows = (text: string) => database.query<Record<string, string>>('admin', { text });
  const tables = await rows(`
    SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`);
  const dump: Places = {};
  for (const { name } of tables) {
    const content = await rows(`SELECT to_json(t)::text AS row FROM ${name} t`);
    dump[`table ${name}`] = content.map(({ row }) => row).join('\n');
  }
  return dump;
}

/** The same for the embedded database of a stopped service. */
export async function everyTableIn(dataFolder: string): Promise<Places> {
  const database = await openEmbedded(dataFolder);
  try {
    return await everyTable(database);
  } finally {
    await database.close();
  }
}

export async function everyFile(folder: string): Promise<Places> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const content: Places = {};
  for (const file of files.filter((entry) => entry.isFile())) {
    const path = join(file.parentPath, file.name);
    content[`file ${relative(folder, path)}`] = await readFile(path);
  }
  return content;
}
