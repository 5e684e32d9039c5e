import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type {} from '@session-launch/testing/data-folder.ts';
import type { TestProject } from 'vitest/node';
import { openEmbedded } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrate.ts';
import { type Journal, recordedDisk } from './recorded-disk.ts';

/**
 * Makes one embedded database for the whole run, as a first start does. Services in processes of their own start from a copy of
 * its data folder, services in this process from its dump: making a database takes seconds, a copy does not. The disk remembers
 * that first start, for the test that cuts its power.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('engine', 'embedded');
  if (project.getProvidedContext().dump !== undefined) return undefined;
  // The engine is needed here once: what V8 would compile a second time, to be fast, is not called again.
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
  // What is beside the database belongs to a service that runs.
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
