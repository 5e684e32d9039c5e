import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { EngineError } from '../../endpoint.ts';
import { unlessAborted } from '../../timeout.ts';
import { FairQueue } from '../fair-queue.ts';

interface Job {
  options: string[];
  text: string;
  deadlineMs: number;
  resolve(output: Buffer): void;
  reject(error: Error): void;
  /** Absent until it runs. */
  process?: ChildProcess;
}

/** Timeout of a run in milliseconds. A sentence takes about 20 ms, 280 digits about 600. */
const runMs = 10_000;
/** Maximum bytes of audio of a run: about three minutes, twice what 280 digits take at the slowest speed. */
const maxBytes = 8 * 1024 * 1024;

/**
 * Runs the program once for each text, which it reads from its standard input. At most `count` processes run; queued texts are taken
 * round-robin over sessions.
 */
export class EspeakProcesses {
  readonly #program: string;
  readonly #count: number;
  readonly #queue = new FairQueue<Job>();
  readonly #running = new Set<Job>();
  #isClosed = false;

  constructor(program: string, count: number) {
    this.#program = program;
    this.#count = count;
  }

  /** Returns the standard output. When the signal is aborted, rejects and ends the process. */
  async run(
    options: string[],
    text: string,
    session: object,
    signal: AbortSignal,
    deadlineMs = runMs,
  ): Promise<Buffer> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('closed');
    let job: Job | undefined;
    const output = new Promise<Buffer>((resolve, reject) => {
      job = { options, text, deadlineMs, resolve, reject };
      this.#queue.push(session, job);
    });
    this.#next();
    try {
      return await unlessAborted(output, signal);
    } finally {
      this.#queue.remove(session, job!);
      job!.process?.kill('SIGKILL');
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.clear()) job.reject(new Error('closed'));
    for (const { process, reject } of this.#running) {
      reject(new Error('closed'));
      process?.kill('SIGKILL');
    }
  }

  #next(): void {
    while (this.#running.size < this.#count) {
      const job = this.#queue.shift();
      if (job === undefined) return;
      this.#start(job);
    }
  }

  #start(job: Job): void {
    try {
      this.#watch(job, this.#spawn(job));
    } catch (error) {
      // For example, no file descriptor is left.
      job.reject(error as Error);
    }
  }

  #spawn({ options, text }: Job): ChildProcessByStdio<Writable, Readable, null> {
    const { PATH } = process.env;
    return spawn(this.#program, [...options, ...(text === '' ? [] : ['--stdin', '--stdout', '-b', '1'])], {
      // No other variable: the program needs none, and the runtime's include API keys.
      env: PATH === undefined ? {} : { PATH },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  }

  /** Settles the job when its process ends. */
  #watch(job: Job, child: ChildProcessByStdio<Writable, Readable, null>): void {
    this.#running.add(job);
    job.process = child;
    const fail = (error: Error) => {
      job.reject(error);
      child.kill('SIGKILL');
    };
    const timer = setTimeout(
      () => fail(new EngineError(0, 'espeak-ng took too long')),
      job.deadlineMs,
    ).unref();
    const printed: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > maxBytes) fail(new EngineError(0, 'espeak-ng printed too much'));
      else printed.push(part);
    });
    const over = () => {
      clearTimeout(timer);
      child.stdout.destroy();
      if (this.#running.delete(job)) this.#next();
    };
    // The process is over when it exits; its output may be read later, or be held open by a process that it has started.
    child.on('exit', () => child.killed && over());
    child.on('close', (code, killedBy) => {
      if (code === 0) job.resolve(Buffer.concat(printed));
      else job.reject(new EngineError(0, `espeak-ng ended with ${code ?? killedBy}`));
      over();
    });
    child.on('error', (error) => {
      job.reject(error);
      over();
    });
    // Fails if the process has ended already, which is reported above.
    child.stdin.on('error', () => {});
    child.stdin.end(job.text);
  }
}
