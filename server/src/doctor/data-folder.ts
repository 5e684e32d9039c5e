import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { freeBytes, isOpenToOthers } from '@session-launch/process/folders';
import type { Config } from '../config/config.ts';
import { inMegabytes, lowSpaceBytes } from '../store/disk-space.ts';
import { type Finding, findingsOf } from './finding.ts';
import { sharedSecret } from './secret-file.ts';

const { ok, warn, fail } = findingsOf('data folder');

export async function checkDataFolder(config: Config): Promise<Finding> {
  const { dataDir } = config;
  // With PostgreSQL and all secrets elsewhere, the service does not use this folder.
  const needsTokenFile = config.runtime !== undefined && config.runtime.token === undefined;
  const isKeyFileElsewhere = relative(dataDir, config.signingKeysFile).startsWith('..');
  if (config.database.engine === 'postgres' && isKeyFileElsewhere && !needsTokenFile) {
    return ok('not needed with this configuration');
  }
  const found = await stat(dataDir).catch(() => undefined);
  if (found && !found.isDirectory()) return fail(`${dataDir} is not a folder`, 'set DATA_DIR to a folder');
  if (!found) {
    const parent = await existingParent(dataDir);
    return (await writable(parent))
      ? ok(`${dataDir} will be created at the first start`)
      : fail(`${dataDir} does not exist and ${parent} is not writable`, 'create it, or set DATA_DIR');
  }
  if (!(await writable(dataDir))) {
    return fail(`${dataDir} is not writable by this user`, 'run as its owner, or set DATA_DIR');
  }
  return (
    (await sharedToken(config.admin.tokenFile)) ??
    (config.runtime && (await sharedToken(config.runtime.tokenFile))) ??
    (await isOpenInside(dataDir)) ??
    changeableByOthers(dataDir, found.mode) ??
    (await fullSoon(config)) ??
    ok(`${dataDir} is writable`)
  );
}

async function sharedToken(file: string): Promise<Finding | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && sharedSecret('data folder', file);
}

/** A user who can write to the folder can replace the database. */
function changeableByOthers(dataDir: string, mode: number): Finding | undefined {
  if (process.platform === 'win32' || (mode & 0o022) === 0) return undefined;
  const shown = `${dataDir} has mode ${(mode & 0o777).toString(8).padStart(3, '0')}`;
  return (mode & 0o002) === 0
    ? warn(`${shown}, so its group can replace its files`, `chmod g-w ${dataDir}`)
    : fail(`${shown}, so others can replace its files`, `chmod go-w ${dataDir}`);
}

/** The service sets the permissions at its start; a copied or restored folder may be readable by others until then. */
async function isOpenInside(dataDir: string): Promise<Finding | undefined> {
  const folder = join(dataDir, 'database');
  return (await isOpenToOthers(folder).catch(() => false))
    ? fail(`others can read ${folder}`, `chmod -R go= ${folder}`)
    : undefined;
}

async function fullSoon({ dataDir, database }: Config): Promise<Finding | undefined> {
  const free = await freeBytes(dataDir);
  return database.engine === 'embedded' && free < lowSpaceBytes
    ? warn(
        `${inMegabytes(free)} are free on the disk of ${dataDir}`,
        'free disk space, or set SESSION_RETENTION_DAYS',
      )
    : undefined;
}

async function existingParent(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path || (await stat(parent).catch(() => undefined))) return parent;
  return existingParent(parent);
}

async function writable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
