import { findProgram } from './find-program.ts';

export { isSkipped } from './find-program.ts';

/** Like `findProgram`, but throws if the program is missing. */
export function requireProgram(name: string): string {
  const path = findProgram(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}
