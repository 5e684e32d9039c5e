import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** A copy of the built service with its own console, so that a test can install another build of the console. */
export interface Installation {
  /** For `startProcess`. */
  program: string;
  /** Changes a source, removes the files of the build before, and builds the console again. */
  updateConsole(): Promise<void>;
  remove(): Promise<void>;
}

export async function installService(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-installation-'));
  const server = join(folder, 'server');
  // Node finds packages here before those of the folder above.
  const own = join(server, 'node_modules', '@session-launch');
  const packaged = join(own, 'console');
  await mkdir(packaged, { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  // What the build of the console takes from other workspaces.
  for (const name of ['contract', 'process', 'engine', 'runtime', 'sdk', 'project-file.schema.json'])
    await symlink(join(root, name), join(own, name));
  for (const name of ['migrations', 'site']) await symlink(join(root, 'server', name), join(server, name));
  for (const name of ['dist', 'package.json'])
    await cp(join(root, 'server', name), join(server, name), { recursive: true });
  for (const name of ['src', 'dist', 'build.mjs', 'package.json', 'tsconfig.json'])
    await cp(join(root, 'console', name), join(packaged, name), { recursive: true });
  const program = join(server, 'start.mjs');
  await writeFile(program, `import { main } from './dist/cli/main.js';\nawait main();\n`);
  return {
    program,
    updateConsole: async () => {
      await appendFile(
        join(packaged, 'src', 'main.tsx'),
        `\ndocument.documentElement.dataset.build = 'new';\n`,
      );
      await appendFile(
        join(packaged, 'src', 'screens', 'parts', 'parts-page.tsx'),
        `\nexport const build = 'new';\n`,
      );
      await rm(join(packaged, 'dist'), { recursive: true });
      await run(process.execPath, [join(packaged, 'build.mjs')]);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
