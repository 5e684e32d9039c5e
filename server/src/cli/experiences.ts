import type { ExperienceState, ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { type Command, InvalidArgumentError } from 'commander';
import type { AdminClient } from './client/admin-client.ts';
import type { Context } from './client/context.ts';
import { checkId } from './terminal/ids.ts';
import { write, writeJson } from './terminal/io.ts';
import { Table } from './terminal/table.ts';

export function addExperiences(program: Command, context: Context): void {
  const experiences = program
    .command('experiences')
    .description('list, show, publish and unpublish the experiences of a project');
  addList(experiences, context);
  addShow(experiences, context);
  addPublish(experiences, context);
  addUnpublish(experiences, context);
}

function addList(experiences: Command, { io, admin }: Context): void {
  experiences
    .command('list')
    .description('list the experiences of a project, in the order of the catalog')
    .requiredOption('--project <id>', 'project whose experiences to list')
    .option('--json', 'print an array of experiences')
    .action(async (options: { project: string; json?: true }) => {
      const project = checkId('prj', options.project);
      const { experiences: found } = await admin().json(
        'experiences',
        'GET /admin/projects/{projectId}/experiences',
        {
          params: { projectId: project },
        },
      );
      if (options.json) return writeJson(io.stdout, found);
      if (found.length === 0) return write(io.stdout, `${project} has no experiences\n`);
      const table = new Table<ExperienceSummary>({
        EXPERIENCE: ({ experienceId }) => experienceId,
        STATUS: ({ status }) => status,
        PUBLISHED: ({ publishedRevision }) => publishedRevision?.toString(),
        NEWEST: ({ latestRevision }) => String(latestRevision),
        TODAY: ({ sessionsToday }) => String(sessionsToday),
        UPDATED: ({ updatedAt }) => updatedAt,
        BY: ({ updatedBy }) => updatedBy,
        TITLE: ({ title }) => title,
      });
      await write(io.stdout, table.text(found));
    });
}

function addShow(experiences: Command, { io, admin }: Context): void {
  experiences
    .command('show')
    .description('print an experience in the format of a project file: its newest revision')
    .argument('<id>', 'id of the experience')
    .option('--json', 'print JSON, with version and revisions')
    .action(async (id: string, options: { json?: true }) => {
      const experienceId = checkId('exp', id);
      if (options.json) return writeJson(io.stdout, await read(admin(), experienceId));
      const text = await admin().text('GET /admin/experiences/{experienceId}', {
        params: { experienceId },
        query: { format: 'yaml' },
      });
      await write(io.stdout, text.endsWith('\n') ? text : `${text}\n`);
    });
}

function addPublish(experiences: Command, { io, admin }: Context): void {
  experiences
    .command('publish')
    .description('make a revision of an experience live: the newest one, or an earlier one to go back')
    .argument('<id>', 'id of the experience')
    .option('--revision <n>', 'the revision to publish; default: the newest', revisionNumber)
    .option('--note <text>', 'a note for the history')
    .option('--json', 'print the experience as JSON')
    .action(async (id: string, options: { revision?: number; note?: string; json?: true }) => {
      const { revision, note } = options;
      const params = { experienceId: checkId('exp', id) };
      const { version } = await read(admin(), params.experienceId);
      const state = await admin().json('version', 'POST /admin/experiences/{experienceId}/publish', {
        params,
        version,
        body: { revision, note },
      });
      if (options.json) return writeJson(io.stdout, state);
      await write(io.stdout, `${id}: revision ${state.publishedRevision} is published\n`);
    });
}

function addUnpublish(experiences: Command, { io, admin }: Context): void {
  experiences
    .command('unpublish')
    .description('take an experience out of the catalog; it can be published again')
    .argument('<id>', 'id of the experience')
    .option('--json', 'print the experience as JSON')
    .action(async (id: string, options: { json?: true }) => {
      const params = { experienceId: checkId('exp', id) };
      const { version } = await read(admin(), params.experienceId);
      const state = await admin().json('version', 'POST /admin/experiences/{experienceId}/unpublish', {
        params,
        version,
      });
      if (options.json) return writeJson(io.stdout, state);
      await write(io.stdout, `${id} is no longer published\n`);
    });
}

function revisionNumber(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

/** Changes of the state name the version that is current now; if it changes in between, the service refuses with 412. */
function read(admin: AdminClient, experienceId: string): Promise<ExperienceState> {
  return admin.json('version', 'GET /admin/experiences/{experienceId}', { params: { experienceId } });
}
