import { accessSync, constants } from 'node:fs';
import { platform } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Path of an installed program. `undefined` if it is missing, or on other systems than Linux: the tests with such programs use loopback
 * addresses (127.0.0.2 …) and packages of Debian.
 */
export function findProgram(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (platform() !== 'linux') return undefined;
  // Debian installs servers into /usr/sbin, which is not on every user's PATH.
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/** Programs that some tests need, and their packages in Debian. */
export const packages = {
  caddy: 'caddy',
  'espeak-ng': 'espeak-ng',
  haproxy: 'haproxy',
  pg_dump: 'postgresql-client',
  promtool: 'prometheus',
  python3: 'python3',
  'systemd-analyze': 'systemd',
} as const;

/** Whether tests with a program are skipped: it is missing. With CI=true on Linux they fail instead. */
export function isSkipped(name: keyof typeof packages, env: NodeJS.ProcessEnv = process.env): boolean {
  return findProgram(name, env) === undefined && (env.CI !== 'true' || platform() !== 'linux');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
