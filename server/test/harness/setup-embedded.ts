import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type {} from '@session-launch/testing/data-folder.ts';
import type { TestProject } from 'vitest/node';
import { openInMemory } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrate.ts';

/**
 * Migrates one embedded database for the whole run. Services in this process start from its dump, services in processes of
 * their own from a copy of the data folder: making a database takes seconds, a copy does not.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('engine', 'embedded');
  if (project.getProvidedContext().dump !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-dump-'));
  const dump = join(folder, 'dump.tar');
  const database = await openInMemory();
  await migrate(database);
  await writeFile(dump, await database.client.dump());
  await database.close();
  await mkdir(join(folder, 'data', 'database'), { recursive: true, mode: 0o700 });
  await promisify(execFile)('tar', ['-xf', dump, '-C', join(folder, 'data', 'database')]);
  project.vitest.provide('dump', dump);
  project.vitest.provide('dataFolder', join(folder, 'data'));
  return () => rm(folder, { recursive: true, force: true });
}

declare module 'vitest' {
  export interface ProvidedContext {
    engine: 'embedded' | 'postgres';
    dump: string;
  }
}
