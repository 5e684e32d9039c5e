import type { ExperienceState, ExperienceSummary } from '@session-launch/contract/admin/experience-schemas';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AdminClient } from './client/admin-client.ts';
import { addById, addList } from './client/commands.ts';
import type { Context } from './client/context.ts';

export function addExperiences(program: Command, context: Context): void {
  const experiences = program
    .command('experiences')
    .description('list, show, publish and unpublish the experiences of a project');
  const argument: [string, string] = ['<id>', 'id of the experience'];
  addList<ExperienceSummary>(experiences, context, {
    description: 'list the experiences of a project, in the order of the catalog',
    project: 'project whose experiences to list',
    json: 'print an array of experiences',
    empty: (project) => `${project} has no experiences`,
    columns: {
      EXPERIENCE: ({ experienceId }) => experienceId,
      STATUS: ({ status }) => status,
      PUBLISHED: ({ publishedRevision }) => publishedRevision?.toString(),
      NEWEST: ({ latestRevision }) => String(latestRevision),
      TODAY: ({ sessionsToday }) => String(sessionsToday),
      UPDATED: ({ updatedAt }) => updatedAt,
      BY: ({ updatedBy }) => updatedBy,
      TITLE: ({ title }) => title,
    },
    read: async (admin, { project }) => {
      const route = 'GET /admin/projects/{projectId}/experiences';
      return (await admin().json('experiences', route, { params: { projectId: project } })).experiences;
    },
  });
  addById(experiences, context, {
    name: 'show',
    description: 'print an experience in the format of a project file: its newest revision',
    prefix: 'exp',
    argument,
    json: 'print JSON, with version and revisions',
    run: (admin, experienceId, { json }) =>
      json
        ? read(admin(), experienceId)
        : admin().text('GET /admin/experiences/{experienceId}', {
            params: { experienceId },
            query: { format: 'yaml' },
          }),
  });
  addById<{ revision?: number; note?: string; json?: true }>(experiences, context, {
    name: 'publish',
    description: 'make a revision of an experience live: the newest one, or an earlier one to go back',
    prefix: 'exp',
    argument,
    options: [
      new Option('--revision <n>', 'the revision to publish; default: the newest').argParser(revisionNumber),
      new Option('--note <text>', 'a note for the history'),
    ],
    json: 'print the experience as JSON',
    run: async (admin, experienceId, { revision, note, json }) => {
      const { version } = await read(admin(), experienceId);
      const state = await admin().json('version', 'POST /admin/experiences/{experienceId}/publish', {
        params: { experienceId },
        version,
        body: { revision, note },
      });
      return json ? state : `${experienceId}: revision ${state.publishedRevision} is published`;
    },
  });
  addById(experiences, context, {
    name: 'unpublish',
    description: 'take an experience out of the catalog; it can be published again',
    prefix: 'exp',
    argument,
    json: 'print the experience as JSON',
    run: async (admin, experienceId, { json }) => {
      const { version } = await read(admin(), experienceId);
      const state = await admin().json('version', 'POST /admin/experiences/{experienceId}/unpublish', {
        params: { experienceId },
        version,
      });
      return json ? state : `${experienceId} is no longer published`;
    },
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
