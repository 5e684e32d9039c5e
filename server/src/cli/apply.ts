import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Applied, AppliedChange, ProjectFileProblem } from '@session-launch/contract/admin/projects';
import type { Command } from 'commander';
import { AdminFailure, projectFileTimeoutSeconds } from './client/admin-client.ts';
import type { Context } from './client/context.ts';
import { CliFailure } from './terminal/failure.ts';
import { type Io, printable, write, writeJson } from './terminal/io.ts';
import { showProgress } from './terminal/progress.ts';

export function addApply(program: Command, { io, admin }: Context): void {
  program
    .command('apply')
    .description(
      'create or update a project from a file; experiences that the file does not list stay unchanged',
    )
    .argument(
      '<file>',
      'project file: JSON if its name ends in .json, otherwise YAML; - reads standard input',
    )
    .option('--json', 'print the changes as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  session-launch apply project.yaml\n  session-launch projects export prj_demo | session-launch apply -',
    )
    .action(async (file: string, options: { json?: true }) => {
      const text = await readProjectFile(file, io);
      const type = file.toLowerCase().endsWith('.json') ? 'application/json' : 'application/yaml';
      const name = file === '-' ? 'stdin' : file;
      const answer = admin().json<Applied>('changes', {
        path: ['projects'],
        body: { type, text },
        timeoutSeconds: projectFileTimeoutSeconds,
      });
      const applied = await showProgress(io, `Applying ${printable(name)}`, answer).catch(
        (error: unknown) => {
          throw explained(name, error);
        },
      );
      if (options.json) await writeJson(io.stdout, applied);
      else await write(io.stdout, `${summary(applied)}\n`);
    });
}

async function readProjectFile(file: string, io: Io): Promise<string> {
  const bytes = file === '-' ? await readAll(io) : await readBytes(resolve(io.cwd, file), file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliFailure(`${file} is not UTF-8 text: save it as UTF-8`);
  }
}

async function readAll(io: Io): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of io.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function readBytes(path: string, file: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : `${code}`;
    throw new CliFailure(`cannot read ${file}: ${why}`, { cause });
  }
}

/** Lists problems as `project.yaml:12:5: experiences[1].slug …`, which editors and terminals turn into links. */
function explained(file: string, error: unknown): unknown {
  if (!(error instanceof AdminFailure)) return error;
  if (error.kind === 'timeout') {
    return new CliFailure(`${error.message}; the file may still be applied, and applying it again is safe`);
  }
  if (error.code !== 'PROJECT_FILE_INVALID') return error;
  const problems = Array.isArray(error.details) ? (error.details as ProjectFileProblem[]) : [];
  if (problems.length === 0) return error;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const more = problems.map(({ line, column, path, message }) => {
    const place = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined);
    return printable(`${place.join(':')}: ${path} ${message}`.replace(':  ', ': '));
  });
  return new CliFailure(`${file} has ${count}; nothing was changed`, { more, cause: error });
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
