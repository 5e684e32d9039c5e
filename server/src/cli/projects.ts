import type { ProjectList } from '@session-launch/contract/admin/projects';
import type { Command } from 'commander';
import { projectFileTimeoutSeconds } from './client/admin-client.ts';
import { addById, addList } from './client/commands.ts';
import type { Context } from './client/context.ts';

export function addProjects(program: Command, context: Context): void {
  const projects = program.command('projects').description('list and export projects');
  addList<ProjectList['projects'][number]>(projects, context, {
    description: 'list all projects',
    json: 'print an array of projects',
    empty: () => 'no projects: create one with apply',
    columns: {
      PROJECT: (project) => project.projectId,
      EXPERIENCES: (project) => String(project.experiences),
      'BROWSER EMBEDS': (project) => (project.browserEmbeds ? 'on' : 'off'),
      NAME: (project) => project.name,
    },
    read: async (admin) => (await admin().json('projects', 'GET /admin/projects')).projects,
  });
  addById(projects, context, {
    name: 'export',
    description: 'print a project as a file that apply accepts',
    prefix: 'prj',
    argument: ['<id>', 'id of the project'],
    json: 'print JSON instead of YAML',
    examples: '\nExample:\n  session-launch projects export prj_demo > project.yaml',
    run: (admin, projectId, { json }) =>
      admin().text('GET /admin/projects/{projectId}', {
        params: { projectId },
        accept: json ? 'application/json' : 'application/yaml',
        timeoutSeconds: projectFileTimeoutSeconds,
      }),
  });
}
