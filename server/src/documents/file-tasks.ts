import { isUtf8 } from 'node:buffer';
import { type PreparedFile, prepare } from './prepared-file.ts';
import { ProjectFileError, type ProjectFileProblem } from './problem.ts';
import {
  checkProjectFile,
  type ProjectFile,
  type ProjectFileFormat,
  parseProjectFile,
  serialiseProjectFile,
  withoutNulls,
} from './project-file.ts';

export type FileTask =
  /** Parses and checks the text of a project file. */
  | { kind: 'prepare'; bytes: Uint8Array; format: ProjectFileFormat }
  /** Checks a project file in JSON that was serialised by the service itself. */
  | { kind: 'check'; json: string }
  /** Serialises a stored project from the JSON text of `readProjectText`, or one experience. */
  | { kind: 'serialise'; stored: string; format: ProjectFileFormat };

/** The result of each kind of task. */
export interface Done {
  prepare: PreparedFile;
  check: ProjectFile;
  serialise: string;
}

/** What the worker thread replies. */
export type FileResult = { done: Done[keyof Done] } | { problems: ProjectFileProblem[] } | { error: unknown };

/** Runs a task. Throws a ProjectFileError that lists every problem. */
export function runTask(task: FileTask): Done[keyof Done] {
  switch (task.kind) {
    case 'prepare':
      return prepareBytes(task.bytes, task.format);
    case 'check':
      return checkProjectFile(JSON.parse(task.json));
    case 'serialise':
      return serialise(task.stored, task.format);
  }
}

/** Runs a task in the worker thread. */
export function replyTo(task: FileTask): FileResult {
  try {
    return { done: runTask(task) };
  } catch (error) {
    return error instanceof ProjectFileError ? { problems: error.problems } : { error };
  }
}

function prepareBytes(bytes: Uint8Array, format: ProjectFileFormat): PreparedFile {
  if (!isUtf8(bytes))
    throw new ProjectFileError([{ path: '', message: 'is not UTF-8 text; save it as UTF-8' }]);
  return prepare(
    parseProjectFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(), format),
  );
}

function serialise(stored: string, format: ProjectFileFormat): string {
  const file = JSON.parse(stored) as ProjectFile;
  file.experiences?.forEach(withoutNulls);
  return serialiseProjectFile(file, format);
}
