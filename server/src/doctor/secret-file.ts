import { stat } from 'node:fs/promises';
import { type Finding, findingsOf } from './finding.ts';

/**
 * Checks that only the owner can read a file. Group access is a warning, because orchestrators mount secrets that way.
 * Returns undefined if the permissions are right, or if the platform has none.
 */
export async function sharedSecret(check: string, file: string): Promise<Finding | undefined> {
  if (process.platform === 'win32') return undefined;
  const mode = (await stat(file)).mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  const { warn, fail } = findingsOf(check);
  const shown = `${file} has mode ${mode.toString(8).padStart(3, '0')}`;
  return (mode & 0o027) === 0
    ? warn(`${shown}, so its group can read it`, `chmod 600 ${file}`)
    : fail(`${shown}, so others can read or change it`, `chmod 600 ${file}`);
}
