import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The only dependency of the backend SDK is packed as well, so that no registry is needed. */
const folders = [
  'server',
  'contract',
  'process',
  'engine',
  'runtime',
  'sdk/backend',
  'sdk/browser',
  'console',
  'node_modules/jose',
];

export interface Package {
  name: string;
  tarball: string;
  files: string[];
}

/** Packs our packages as npm publishes them, and creates a node_modules folder with them and with links to the installed dependencies. */
export async function layOut(folder: string): Promise<Package[]> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@session-launch'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules')))
    if (!/^\.|session-launch/.test(name))
      await symlink(join(root, 'node_modules', name), join(modules, name), 'junction');
  const packages = await packInto(folder);
  for (const { name, tarball } of packages)
    if (name.includes('session-launch')) await unpack(tarball, join(modules, name));
  return packages;
}

async function packInto(folder: string): Promise<Package[]> {
  await run(process.execPath, [join(root, 'scripts', 'examples.mjs')]);
  try {
    const packing = ['pack', '--json', '--ignore-scripts', ...folders.map((name) => join(root, name))];
    const { stdout } = await run('npm', packing, { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
    const packed: { name: string; filename: string; files: { path: string }[] }[] = JSON.parse(stdout);
    return packed.map(({ name, filename, files }) => ({
      name,
      tarball: join(folder, filename),
      files: files.map(({ path }) => path),
    }));
  } finally {
    await rm(join(root, 'server', 'examples'), { recursive: true });
  }
}

async function unpack(tarball: string, target: string): Promise<void> {
  await mkdir(target);
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
}
