import { cp } from 'node:fs/promises';
import { inject } from 'vitest';

/** Puts a migrated, empty embedded database into a data folder, which is made where it is missing. */
export async function prepareDataFolder(path: string): Promise<string> {
  await cp(inject('dataFolder'), path, { recursive: true });
  return path;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of an embedded database that is migrated and empty. Nobody writes to it. */
    dataFolder: string;
  }
}
