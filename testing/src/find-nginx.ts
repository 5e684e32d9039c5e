import { accessSync, constants } from 'node:fs';
import { platform } from 'node:os';
import { delimiter, join } from 'node:path';

export const noNginx =
  'there is no nginx for the test of the proxy example: install the package nginx (Linux)';

/** Path of nginx; `undefined` if it is not installed or the loopback addresses that the test uses (127.0.0.2 …) do not exist. */
export function findNginx(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (platform() !== 'linux') return undefined;
  // Debian installs nginx into /usr/sbin, which is not on every user's PATH.
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'nginx'))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
