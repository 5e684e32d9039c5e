import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type AdminClient, projectFileTimeoutSeconds } from './client/admin-client.ts';
import type { Context } from './client/context.ts';
import { layouts, readExample, type Template, templates } from './starter/templates.ts';
import { environmentFile, pageSettings, projectFile, readme, type StarterFacts } from './starter/texts.ts';
import { CliFailure } from './terminal/failure.ts';
import { checkId } from './terminal/ids.ts';
import { printable, write } from './terminal/io.ts';

export function addInit(program: Command, { io, admin }: Context): void {
  program
    .command('init')
    .description('create a starter application in an empty folder, with its project and a test key')
    .argument('[folder]', 'folder to write to; created if missing', '.')
    .addOption(
      new Option('--template <name>', 'kind of application').choices(templates).makeOptionMandatory(),
    )
    .option('--project <id>', 'id of the new project; derived from the folder name by default')
    .addHelpText('after', '\nExample:\n  session-launch init my-app --template express')
    .action(async (folder: string, options: { template: Template; project?: string }) => {
      const path = resolve(io.cwd, folder);
      await requireEmpty(path, folder);
      const projectId = checkId('prj', options.project ?? idFrom(path));
      const client = admin();
      await requireNew(client, projectId);
      const { publicUrl } = await client.json('publicUrl', 'GET /admin/status');
      const { port } = layouts[options.template];
      const experienceId = `exp_${projectId.slice('prj_'.length, 'prj_'.length + 58)}_hello`;
      const facts = { template: options.template, projectId, experienceId, publicUrl, port };
      // First the files, so that nothing is created at the service if the folder cannot be written to.
      const undo = await writeAll(path, folder, await filesOf(facts));
      const key = await provision(client, facts).catch(async (error: unknown) => {
        await undo();
        throw error;
      });
      await writeAll(path, folder, { '.env': environmentFile(facts, key) });
      await write(
        io.stdout,
        `${projectId} is in ${printable(folder)}, with a test key in .env. See its README.md for how to start it.\n`,
      );
    });
}

async function requireEmpty(path: string, folder: string): Promise<void> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new CliFailure(`cannot use ${folder}: ${error.code}`, { cause: error });
  });
  if (names.some((name) => name !== '.git'))
    throw new CliFailure(`${folder} is not empty, and nothing in it is overwritten: name a new folder`);
}

function idFrom(path: string): string {
  const name = basename(path)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 64);
  return `prj_${name}`;
}

/** Throws if the project exists: applying the starter file would change it. */
async function requireNew(client: AdminClient, projectId: string): Promise<void> {
  const { projects } = await client.json('projects', 'GET /admin/projects');
  if (projects.some((project) => project.projectId === projectId))
    throw new CliFailure(`${projectId} exists: choose another id with --project`);
}

async function provision(client: AdminClient, facts: StarterFacts): Promise<string> {
  await client.json('changed', 'POST /admin/projects', {
    file: { type: 'application/yaml', text: projectFile(facts) },
    timeoutSeconds: projectFileTimeoutSeconds,
  });
  const { key } = await client.json('key', 'POST /admin/projects/{projectId}/keys', {
    params: { projectId: facts.projectId },
    body: { mode: 'test', scopes: ['sessions:create', 'sessions:read'], name: 'starter' },
  });
  return key;
}

async function filesOf(facts: StarterFacts): Promise<Record<string, string>> {
  const { files, example, start } = layouts[facts.template];
  const copies = Object.entries(files).map(async ([path, from]) => [path, await readExample(from)] as const);
  const { dependencies } = JSON.parse(await readExample(`${example}/package.json`));
  const manifest = {
    private: true,
    type: 'module',
    scripts: { start },
    dependencies,
  };
  return {
    ...Object.fromEntries(await Promise.all(copies)),
    ...(facts.template === 'static' ? { 'public/config.js': pageSettings(facts) } : {}),
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'project.yaml': projectFile(facts),
    'README.md': readme(facts),
    '.gitignore': 'node_modules/\n.env\n',
  };
}

/** Writes files that must not exist yet. If one cannot be written, those before it are removed. Returns a function that removes them all. */
async function writeAll(
  path: string,
  folder: string,
  files: Record<string, string>,
): Promise<() => Promise<void>> {
  const made: string[] = [];
  const undo = async () => {
    for (const one of made.reverse()) await rm(one, { recursive: true, force: true });
  };
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = join(path, name);
      const first = await mkdir(dirname(file), { recursive: true });
      if (first !== undefined) made.push(first);
      // `wx` fails if the file exists by now. Only the owner may read the key in `.env`.
      await writeFile(file, text, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o644 });
      made.push(file);
    }
  } catch (error) {
    await undo();
    throw new CliFailure(`cannot write to ${folder}: ${(error as NodeJS.ErrnoException).code}`, {
      cause: error,
    });
  }
  return undo;
}
