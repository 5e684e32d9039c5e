import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findPostgres } from '../../../testing/src/find-postgres.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-find-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function install(version: string, programs = ['initdb', 'postgres']): Promise<string> {
  const bin = join(folder, version, 'bin');
  await mkdir(bin, { recursive: true });
  for (const program of programs) {
    await writeFile(join(bin, program), '');
    await chmod(join(bin, program), 0o755);
  }
  return bin;
}

const isLinux = process.platform === 'linux';

test.runIf(isLinux)('the newest installed version with a server is used, and none before 15', async () => {
  expect(findPostgres({}, folder)).toBeUndefined();
  await install('14');
  await install('17', ['initdb']);
  expect(findPostgres({}, folder)).toBeUndefined();
  const bin = [await install('9'), await install('15'), await install('16')][2];
  expect(findPostgres({}, folder)).toBe(bin);
});

test('POSTGRES_BIN comes first, and a folder without a server counts as none', async () => {
  const [newer, chosen] = [await install('16'), await install('15')];
  expect(findPostgres({ POSTGRES_BIN: chosen }, folder)).toBe(chosen);
  expect(findPostgres({ POSTGRES_BIN: join(newer, 'nowhere') }, folder)).toBeUndefined();
});
