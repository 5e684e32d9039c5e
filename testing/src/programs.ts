import { findPostgres, noDebianPostgres } from './find-postgres.ts';
import { findProgram } from './find-program.ts';

export { findProgram, isSkipped } from './find-program.ts';

/** Like `findProgram`, but throws if the program is missing. */
export function requireProgram(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

/** Like `findPostgres`, but throws if there is none. */
export function requirePostgres(): string {
  const bin = findPostgres();
  if (bin === undefined) throw new Error(noDebianPostgres);
  return bin;
}
