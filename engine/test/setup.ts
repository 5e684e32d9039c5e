import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {} from '@session-launch/testing/data-folder.ts';
import type { TestProject } from 'vitest/node';
import { openEngine } from '../src/index.ts';

/** Creates one empty database for all tests, which start from a copy of its data folder or from its dump. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-engine-'));
  const data = join(folder, 'data');
  const engine = await openEngine(data);
  const dump = join(folder, 'dump.tar');
  await writeFile(dump, await engine.client.dump());
  await engine.close();
  // The file `spare` belongs to a running engine.
  await rm(join(data, 'spare'), { force: true });
  project.provide('dump', dump);
  project.provide('dataFolder', data);
  return () => rm(folder, { recursive: true, force: true });
}

declare module 'vitest' {
  export interface ProvidedContext {
    dump: string;
  }
}
