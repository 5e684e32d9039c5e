import { isUtf8 } from 'node:buffer';
import { Worker } from 'node:worker_threads';
import { type PreparedFile, prepare } from './prepared-file.ts';
import { ProjectFileError, type ProjectFileProblem } from './problem.ts';
import {
  type ProjectFile,
  type ProjectFileFormat,
  parseProjectFile,
  serialiseProjectFile,
} from './project-file.ts';

/** What is read or written here and now takes some milliseconds; starting a thread takes a few hundred. */
const smallLength = 16 * 1024;

export type FileTask =
  | { kind: 'prepare'; bytes: Uint8Array; format: ProjectFileFormat }
  | { kind: 'serialise'; stored: string; format: ProjectFileFormat };

export type FileResult = { done: PreparedFile | string } | { problems: ProjectFileProblem[] };

/**
 * Reads a file, or throws a ProjectFileError that lists everything wrong with it. Reading megabytes takes seconds, for
 * which everybody else would wait, so that a thread does it and ends.
 */
export async function prepareBytes(bytes: Uint8Array, format: ProjectFileFormat): Promise<PreparedFile> {
  return bytes.length <= smallLength
    ? read(bytes, format)
    : (onThread({ kind: 'prepare', bytes, format }) as Promise<PreparedFile>);
}

/** Writes out what is stored of a project, JSON text with nulls, as the file that would make it. */
export async function serialiseStored(stored: string, format: ProjectFileFormat): Promise<string> {
  return stored.length <= smallLength
    ? write(stored, format)
    : (onThread({ kind: 'serialise', stored, format }) as Promise<string>);
}

/** What the thread does. */
export function runTask(task: FileTask): FileResult {
  try {
    return {
      done: task.kind === 'prepare' ? read(task.bytes, task.format) : write(task.stored, task.format),
    };
  } catch (error) {
    if (error instanceof ProjectFileError) return { problems: error.problems };
    throw error;
  }
}

function read(bytes: Uint8Array, format: ProjectFileFormat): PreparedFile {
  if (!isUtf8(bytes))
    throw new ProjectFileError([{ path: '', message: 'is not UTF-8 text; save it as UTF-8' }]);
  return prepare(
    parseProjectFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(), format),
  );
}

function write(stored: string, format: ProjectFileFormat): string {
  const file = JSON.parse(stored) as ProjectFile;
  for (const experience of file.experiences) {
    for (const field of ['avatarId', 'thumbnailPath', 'galleryThumb'] as const) {
      if (experience[field] === null) delete experience[field];
    }
  }
  return serialiseProjectFile(file, format);
}

function onThread(task: FileTask): Promise<PreparedFile | string> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./file-thread.js', import.meta.url), { workerData: task });
    thread.once('message', (answer: FileResult) => {
      if ('problems' in answer) reject(new ProjectFileError(answer.problems));
      else resolve(answer.done);
    });
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the thread for project files has ended without an answer')));
  });
}
