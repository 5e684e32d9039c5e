import type { Command } from 'commander';
import { projectFileTimeoutSeconds } from './client/admin-client.ts';
import type { Context } from './client/context.ts';
import { checkId } from './terminal/ids.ts';
import { write, writeJson } from './terminal/io.ts';
import { Table } from './terminal/table.ts';

export function addProjects(program: Command, context: Context): void {
  const projects = program.command('projects').description('list and export projects');
  addList(projects, context);
  addExport(projects, context);
}

function addList(projects: Command, { io, admin }: Context): void {
  projects
    .command('list')
    .description('list all projects')
    .option('--json', 'print an array of projects')
    .action(async (options: { json?: true }) => {
      const { projects: found } = await admin().json('projects', 'GET /admin/projects');
      if (options.json) return writeJson(io.stdout, found);
      if (found.length === 0) return write(io.stdout, 'no projects: create one with apply\n');
      const table = new Table<(typeof found)[number]>({
        PROJECT: (project) => project.projectId,
        EXPERIENCES: (project) => String(project.experiences),
        'BROWSER EMBEDS': (project) => (project.browserEmbeds ? 'on' : 'off'),
        NAME: (project) => project.name,
      });
      await write(io.stdout, table.text(found));
    });
}

function addExport(projects: Command, { io, admin }: Context): void {
  projects
    .command('export')
    .description('print a project as a file that apply accepts')
    .argument('<id>', 'id of the project')
    .option('--json', 'print JSON instead of YAML')
    .addHelpText('after', '\nExample:\n  session-launch projects export prj_demo > project.yaml')
    .action(async (id: string, options: { json?: true }) => {
      const text = await admin().text('GET /admin/projects/{projectId}', {
        params: { projectId: checkId('prj', id) },
        accept: options.json ? 'application/json' : 'application/yaml',
        timeoutSeconds: projectFileTimeoutSeconds,
      });
      await write(io.stdout, text.endsWith('\n') ? text : `${text}\n`);
    });
}
