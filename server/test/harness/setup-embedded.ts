import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type {} from '@session-launch/testing/data-folder.ts';
import type { TestProject } from 'vitest/node';
import { openEmbedded } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { type Journal, recordedDisk } from './recorded-disk.ts';

/**
 * Creates one embedded database for the whole run. Services in child processes start from a copy of its data folder, services in this
 * process from its dump: creating a database takes seconds, copying does not. The creation is recorded for the power-loss test.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('engine', 'embedded');
  if (project.getProvidedContext().dump !== undefined) return undefined;
  // The engine is used here only once, so optimised compilation would not pay off.
  setFlagsFromString('--liftoff-only');
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-dump-'));
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  const disk = recordedDisk(data, join(folder, 'journal'));
  const database = await disk.opening({}, () => openEmbedded(data));
  await migrate(database);
  const dump = join(folder, 'dump.tar');
  await writeFile(dump, await database.client.dump());
  await database.close();
  // The file `spare` belongs to a running service.
  await rm(join(data, 'spare'), { force: true });
  project.vitest.provide('dump', dump);
  project.vitest.provide('dataFolder', data);
  project.vitest.provide('firstStart', disk.journal);
  return () => rm(folder, { recursive: true, force: true });
}

declare module 'vitest' {
  export interface ProvidedContext {
    engine: 'embedded' | 'postgres';
    dump: string;
    firstStart: Journal;
  }
}
