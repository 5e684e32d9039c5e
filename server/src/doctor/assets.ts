import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding, findingsOf } from './finding.ts';

const { ok, warn, fail } = findingsOf('asset folder');
const todo = 'set ASSETS_DIR to a folder that holds avatars/ and locations/';

export async function checkAssets(assetsDir: string): Promise<Finding> {
  if (!(await isFolder(assetsDir))) return fail(`${assetsDir} is not a folder`, todo);
  const missing: string[] = [];
  for (const name of ['avatars', 'locations']) {
    if (!(await isFolder(join(assetsDir, name)))) missing.push(`${name}/`);
  }
  if (missing.length === 0) return ok(`${assetsDir} holds avatars/ and locations/`);
  const message = `${assetsDir} has no ${missing.join(' and no ')}`;
  return missing.length === 2 ? fail(message, todo) : warn(message, todo);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
