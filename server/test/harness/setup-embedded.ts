import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openInMemory } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrate.ts';

/** Migrates one embedded database and dumps it: every test file starts from the dump. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-dump-'));
  const database = await openInMemory();
  await migrate(database);
  await writeFile(join(folder, 'dump.tar'), await database.client.dump());
  await database.close();
  project.provide('engine', 'embedded');
  project.provide('dump', join(folder, 'dump.tar'));
  return () => rm(folder, { recursive: true, force: true });
}

declare module 'vitest' {
  export interface ProvidedContext {
    engine: 'embedded' | 'postgres';
    dump: string;
  }
}
