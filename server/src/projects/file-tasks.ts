import { isUtf8 } from 'node:buffer';
import { Worker } from 'node:worker_threads';
import { type PreparedFile, prepare } from './prepared-file.ts';
import { ProjectFileError, type ProjectFileProblem } from './problem.ts';
import {
  type ProjectFile,
  type ProjectFileFormat,
  parseProjectFile,
  serialiseProjectFile,
  withoutNulls,
} from './project-file.ts';

/** Files up to this many bytes are processed on the event loop: that takes a few milliseconds, and starting a thread a few hundred. */
const smallLength = 16 * 1024;

export type FileTask =
  | { kind: 'prepare'; bytes: Uint8Array; format: ProjectFileFormat }
  | { kind: 'serialise'; stored: string; format: ProjectFileFormat };

export type FileResult = { done: PreparedFile | string } | { problems: ProjectFileProblem[] };

/**
 * Parses a file, or throws a ProjectFileError that lists every problem. Large files take seconds to parse, so a worker
 * thread does it.
 */
export async function prepareBytes(bytes: Uint8Array, format: ProjectFileFormat): Promise<PreparedFile> {
  return bytes.length <= smallLength
    ? read(bytes, format)
    : (onThread({ kind: 'prepare', bytes, format }) as Promise<PreparedFile>);
}

/** Serialises a stored project, from the JSON text of `readProjectText`, or one experience. */
export async function serialiseStored(stored: string, format: ProjectFileFormat): Promise<string> {
  return stored.length <= smallLength
    ? write(stored, format)
    : (onThread({ kind: 'serialise', stored, format }) as Promise<string>);
}

/** Runs a task in the worker thread. */
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
  file.experiences?.forEach(withoutNulls);
  return serialiseProjectFile(file, format);
}

function onThread(task: FileTask): Promise<PreparedFile | string> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./file-thread.js', import.meta.url), { workerData: task });
    thread.once('message', (result: FileResult) => {
      if ('problems' in result) reject(new ProjectFileError(result.problems));
      else resolve(result.done);
    });
    thread.once('error', reject);
    thread.once('exit', () =>
      reject(new Error('the worker thread for project files exited without a result')),
    );
  });
}
