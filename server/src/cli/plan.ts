import type { Planned } from '@session-launch/contract/admin/apply';
import type { Command } from 'commander';
import { projectFileTimeoutSeconds } from './client/admin-client.ts';
import type { Context } from './client/context.ts';
import { explained, fileArgument, readProjectFile } from './project-file.ts';
import { ExitWith } from './terminal/failure.ts';
import { printable, write, writeJson } from './terminal/io.ts';

export function addPlan(program: Command, { io, admin }: Context): void {
  program
    .command('plan')
    .description('print what apply would change; changes nothing, and exits with 2 if something would change')
    .argument('<file>', fileArgument)
    .option('--json', 'print the plan as JSON')
    .addHelpText('after', '\nExample:\n  session-launch plan project.yaml && echo up to date')
    .action(async (path: string, options: { json?: true }) => {
      const file = await readProjectFile(path, io);
      const plan = await admin()
        .json('newRevisions', 'POST /admin/projects', {
          query: { plan: 'true', source: file.source },
          file: file.body,
          timeoutSeconds: projectFileTimeoutSeconds,
        })
        .catch((error: unknown) => {
          throw explained(file.name, error);
        });
      if (options.json) await writeJson(io.stdout, plan);
      else await write(io.stdout, `${lines(plan).join('\n')}\n`);
      if (plan.changes.length > 0 || plan.newRevisions.length > 0) throw new ExitWith(2);
    });
}

const maxLength = 60;

function lines({ projectId, changes, newRevisions, overwrote }: Planned): string[] {
  if (changes.length === 0 && newRevisions.length === 0) return [`${projectId}: no change`];
  return [
    ...changes.map(({ path, before, after }) => `${printable(path)}: ${shown(before)} -> ${shown(after)}`),
    ...newRevisions.map(
      ({ experienceId, revision, publishes }) =>
        `${experienceId}: new revision ${revision}${publishes ? ', published' : ''}`,
    ),
    ...overwrote.map(
      ({ experienceId, path, by, at }) =>
        `overwrites ${printable([experienceId, path].filter(Boolean).join(' '))}, changed by ${printable(by)} at ${at}`,
    ),
  ];
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = printable(JSON.stringify(value));
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
