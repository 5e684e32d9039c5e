import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { ProjectFileProblem } from '@session-launch/contract/admin/apply';
import { AdminFailure, type FileBody } from './client/admin-client.ts';
import { CliFailure } from './terminal/failure.ts';
import { type Io, printable } from './terminal/io.ts';

export const fileArgument =
  'project file: JSON if its name ends in .json, otherwise YAML; - reads standard input';

/** A project file as an argument of a command. */
export interface WrittenFile {
  /** For messages. */
  name: string;
  /** The label of the file, unless another is given: its name without the folder. */
  source: string;
  body: FileBody;
}

export async function readProjectFile(file: string, io: Io): Promise<WrittenFile> {
  const type = file.toLowerCase().endsWith('.json') ? 'application/json' : 'application/yaml';
  const text = await readText(file, io);
  const name = file === '-' ? 'stdin' : file;
  return { name, source: basename(name), body: { type, text } };
}

async function readText(file: string, io: Io): Promise<string> {
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
export function explained(file: string, error: unknown): unknown {
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
