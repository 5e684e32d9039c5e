import type { Applied, AppliedChange } from '@session-launch/contract/admin/apply';
import { type Command, InvalidArgumentError } from 'commander';
import { projectFileTimeoutSeconds } from './client/admin-client.ts';
import type { Context } from './client/context.ts';
import { explained, fileArgument, readProjectFile } from './project-file.ts';
import { printable, write, writeJson } from './terminal/io.ts';
import { showProgress } from './terminal/progress.ts';

interface ApplyOptions {
  source?: string;
  expect?: string;
  json?: true;
}

export function addApply(program: Command, { io, admin }: Context): void {
  program
    .command('apply')
    .description(
      'create or update a project from a file; experiences that the file does not list stay unchanged',
    )
    .argument('<file>', fileArgument)
    .option('--source <label>', 'where the file comes from, such as shop.yaml@3f2c1; default: its name')
    .option(
      '--expect <version>',
      'refuse if the project has another version, or if the file would undo changes made in the console',
      versionNumber,
    )
    .option('--json', 'print the changes as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  session-launch apply project.yaml\n  session-launch apply shop.yaml --source shop.yaml@3f2c1 --expect 12\n  session-launch projects export prj_demo | session-launch apply -',
    )
    .action(async (path: string, { source, expect, json }: ApplyOptions) => {
      const file = await readProjectFile(path, io);
      const answer = admin().json('changed', 'POST /admin/projects', {
        query: { source: source ?? file.source, expect },
        file: file.body,
        timeoutSeconds: projectFileTimeoutSeconds,
      });
      const applied = await showProgress(io, `Applying ${printable(file.name)}`, answer).catch(
        (error: unknown) => {
          throw explained(file.name, error);
        },
      );
      if (json) await writeJson(io.stdout, applied);
      else await write(io.stdout, `${[summary(applied), ...notes(applied)].join('\n')}\n`);
    });
}

function versionNumber(value: string): string {
  if (/^(0|[1-9]\d{0,8})$/.test(value)) return value;
  throw new InvalidArgumentError(
    'It must be a version: a whole number, or 0 for a project that must not exist yet.',
  );
}

/** Lines about changes made in the console that the file overwrote, and about drafts that are not published. */
function notes({ overwrote = [], pendingDrafts = [] }: Partial<Applied>): string[] {
  return [
    ...overwrote.map(
      ({ experienceId, path, by, at }) =>
        `overwrote ${printable([experienceId, path].filter(Boolean).join(' '))}, changed by ${printable(by)} at ${at}`,
    ),
    ...pendingDrafts.map(({ experienceId, revision }) => `${experienceId} has a draft, revision ${revision}`),
  ];
}

function summary({ projectId, changed, changes }: Applied): string {
  if (!changed) return `${projectId}: no change`;
  const project = changes.find(({ kind }) => kind === 'project');
  const experiences = changes.filter(({ kind }) => kind === 'experience');
  const parts: string[] = [];
  if (project && project.change !== 'unchanged') parts.push(`project ${project.change}`);
  let named = false;
  for (const change of ['created', 'updated', 'unchanged'] as const) {
    const these = experiences.filter((experience) => experience.change === change);
    if (these.length === 0) continue;
    const noun = named ? '' : these.length === 1 ? ' experience' : ' experiences';
    named = true;
    parts.push(`${these.length}${noun} ${change}${change === 'updated' ? newRevisions(these) : ''}`);
  }
  return `${projectId}: ${parts.join(', ')}`;
}

function newRevisions(experiences: readonly AppliedChange[]): string {
  const list = experiences
    .filter(({ newRevision }) => newRevision)
    .map(({ id, revision }) => `${id} ${revision}`);
  return list.length === 0 ? '' : ` (new revisions: ${list.join(', ')})`;
}
