import { Worker } from 'node:worker_threads';
import { tooLargeToWrite } from '@session-launch/contract/admin/errors';
import { ApiError, unavailable } from '../primitives/errors.ts';
import { FairQueue, type Requester } from './fair-queue.ts';
import { type Done, type FileResult, type FileTask, runTask } from './file-tasks.ts';
import type { PreparedFile } from './prepared-file.ts';
import { ProjectFileError } from './problem.ts';
import { type ProjectFile, type ProjectFileFormat, validProjectFile } from './project-file.ts';

/** Maximum characters of a document that is processed on the event loop. Starting the thread takes a third of a second. */
const onEventLoop = 16 * 1024;
/**
 * Maximum characters of parsed JSON that is checked on the event loop up to its first problem, which takes a few milliseconds. Listing all
 * problems takes up to half a second.
 */
const quickCheck = 256 * 1024;

/** Limits of the thread. A file of 4 MiB needs up to 220 MB and, on an idle core, 5 s. */
export interface ThreadLimits {
  heapMb: number;
  /** Milliseconds until the thread is ended, with the task that it runs. */
  taskMs: number;
  /** Milliseconds without a task until the thread is ended, which frees its memory. */
  idleMs: number;
}
const threadLimits: ThreadLimits = { heapMb: 256, taskMs: 60_000, idleMs: 5 * 60_000 };

/**
 * Checks, parses and serialises experiences and project files: small ones on the event loop, others on one worker thread, which is
 * started on first use. If the thread crashes, only the task that it was running fails; the next task starts a new thread.
 */
export class DocumentThread {
  /** Documents for the thread. */
  readonly queue = new FairQueue();
  readonly #limits: ThreadLimits;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: Partial<ThreadLimits> = {}) {
    this.#limits = { ...threadLimits, ...limits };
  }

  /** Parses the bytes of a project file. */
  prepare(requester: Requester, bytes: Uint8Array, format: ProjectFileFormat): Promise<PreparedFile> {
    return this.#run(requester, { kind: 'prepare', bytes, format }, bytes.length, checkFailure);
  }

  /** Checks and normalises a project file in parsed form. */
  async check(requester: Requester, file: object): Promise<ProjectFile> {
    const json = JSON.stringify(file);
    const valid = json.length <= quickCheck ? validProjectFile(JSON.parse(json)) : undefined;
    if (valid !== undefined) return valid;
    return this.#run(requester, { kind: 'check', json }, json.length, checkFailure);
  }

  /** Serialises a stored project, from the JSON text of `readProjectText`, or one experience. */
  serialise(requester: Requester, stored: string, format: ProjectFileFormat): Promise<string> {
    return this.#run(requester, { kind: 'serialise', stored, format }, stored.length, writeFailure);
  }

  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#thread?.terminate();
  }

  async #run<T extends FileTask>(
    requester: Requester,
    task: T,
    length: number,
    tooLarge: () => Error,
  ): Promise<Done[T['kind']]> {
    const done =
      length <= onEventLoop
        ? runTask(task)
        : await this.queue.run(requester, () => this.#onThread(task, tooLarge));
    return done as Done[T['kind']];
  }

  #onThread(task: FileTask, tooLarge: () => Error): Promise<Done[keyof Done]> {
    return new Promise((resolve, reject) => {
      clearTimeout(this.#idle);
      this.#thread ??= this.#start();
      const thread = this.#thread;
      const onResult = (result: FileResult) => {
        settle();
        if ('done' in result) resolve(result.done);
        else if ('problems' in result) reject(new ProjectFileError(result.problems));
        else reject(result.error);
      };
      const onError = (error: Error & { code?: string }) => {
        settle();
        const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        reject(isTooLarge ? tooLarge() : unavailable(error));
      };
      const onExit = () => {
        settle();
        reject(unavailable('the worker thread for documents has exited'));
      };
      const timer = setTimeout(() => {
        settle();
        // A new task must not be sent to a thread that is ending.
        this.#thread = undefined;
        void thread.terminate();
        reject(tooLarge());
      }, this.#limits.taskMs);
      const settle = () => {
        clearTimeout(timer);
        thread.off('message', onResult).off('error', onError).off('exit', onExit);
        this.#endWhenIdle(thread);
      };
      thread.on('message', onResult).on('error', onError).on('exit', onExit);
      try {
        thread.postMessage(task);
      } catch (error) {
        settle();
        reject(error);
      }
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./file-thread.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb, maxYoungGenerationSizeMb: 32 },
    });
    const forget = () => {
      if (this.#thread === thread) this.#thread = undefined;
    };
    thread.on('error', forget).on('exit', forget);
    thread.unref();
    return thread;
  }

  #endWhenIdle(thread: Worker): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.#thread === thread) this.#thread = undefined;
      void thread.terminate();
    }, this.#limits.idleMs).unref();
  }
}

function checkFailure(): ProjectFileError {
  const message = 'is too large to be checked; split it, or keep large data elsewhere and refer to it';
  return new ProjectFileError([{ path: '', message }]);
}

function writeFailure(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', tooLargeToWrite);
}
