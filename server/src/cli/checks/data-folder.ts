import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import type { Config } from '../../config.ts';
import { type Finding, findingsOf } from './finding.ts';
import { sharedSecret } from './secret-file.ts';

const { ok, fail } = findingsOf('data folder');

export async function checkDataFolder(config: Config): Promise<Finding> {
  const { dataDir } = config;
  // With PostgreSQL and the signing keys elsewhere, a start neither reads nor writes here.
  if (config.database.engine === 'postgres' && relative(dataDir, config.signingKeysFile).startsWith('..')) {
    return ok('not needed with this configuration');
  }
  const found = await stat(dataDir).catch(() => undefined);
  if (found && !found.isDirectory()) return fail(`${dataDir} is not a folder`, 'set DATA_DIR to a folder');
  if (!found) {
    const parent = await existingParent(dataDir);
    return (await writable(parent))
      ? ok(`${dataDir} will be made at the first start`)
      : fail(`${dataDir} does not exist and ${parent} is not writable`, 'make it, or set DATA_DIR');
  }
  if (!(await writable(dataDir))) {
    return fail(`${dataDir} is not writable for this user`, 'run as its owner, or set DATA_DIR');
  }
  const token = await stat(config.admin.tokenFile).catch(() => undefined);
  const shared = token && (await sharedSecret('data folder', config.admin.tokenFile));
  return shared ?? ok(`${dataDir} is writable`);
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
