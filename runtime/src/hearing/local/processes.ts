import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { EngineError } from '../../endpoint.ts';
import { FairQueue } from '../../speech/fair-queue.ts';
import { unlessAborted } from '../../timeout.ts';
import type { HearingSession } from '../hearing.ts';
import type { ModelFiles } from './installed.ts';

export interface ProcessesDeps {
  files: ModelFiles;
  /** Maximum processes. A further one is started when turns wait for those that run. */
  max: number;
  /** No process could be started. Called once, until one was started again. */
  broken(problem: string): void;
  /** Replaces the program, in tests. */
  program?: string;
  loadMs?: number;
  deadlineMs?: number;
}

interface Job {
  id: number;
  samples: Int16Array;
  hints: readonly string[];
  resolve(text: string): void;
  reject(error: Error): void;
}

interface Hearer {
  child: ChildProcess;
  isReady: boolean;
  job?: Job | undefined;
  /** Fires when the load or the job exceeds its deadline. */
  timer: NodeJS.Timeout;
}

type FromProcess =
  | { type: 'ready' }
  | { type: 'broken'; problem: string }
  | { type: 'heard'; id: number; text?: string; failure?: string };

const moonshine = fileURLToPath(new URL('./moonshine-process.js', import.meta.url));
/** Maximum milliseconds to load the model, which takes about a second on an idle machine. */
const defaultLoadMs = 60_000;
/** Maximum milliseconds of a turn; its process is then replaced. A minute of speech takes about six seconds. */
const defaultDeadlineMs = 30_000;
/** Milliseconds after a failed start in which no other one is tried. */
const pauseMs = 60_000;
/** Maximum turns that wait for a process. */
const maxQueued = 64;
const ended = () => new EngineError(0, 'the hearing process has ended');

/**
 * Processes that transcribe, one turn at a time each. Waiting turns are taken round-robin over sessions. The end of a process costs the turn
 * that it works on; another process replaces it.
 */
export class HearingProcesses {
  readonly #deps: ProcessesDeps;
  readonly #hearers: Hearer[] = [];
  readonly #queue = new FairQueue<Job>();
  #lastId = 0;
  #failedAt: number | undefined;
  #isClosed = false;

  constructor(deps: ProcessesDeps) {
    this.#deps = deps;
  }

  /** False for a while after a process could not be started. */
  get isUsable(): boolean {
    return this.#failedAt === undefined || performance.now() - this.#failedAt > pauseMs;
  }

  /** Ids of the running processes. */
  get pids(): number[] {
    return this.#hearers.flatMap(({ child }) => child.pid ?? []);
  }

  /** Starts the first process, if none runs. */
  prepare(): void {
    if (this.#hearers.length === 0 && this.isUsable && !this.#isClosed) this.#start();
  }

  /** Rejects when the signal is aborted. A waiting turn is then never transcribed; a running one is stopped. */
  async run(samples: Int16Array, session: HearingSession, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    this.prepare();
    if (this.#hearers.length === 0) throw ended();
    if (this.#queue.length >= maxQueued)
      throw new EngineError(0, 'too many turns wait for the hearing engine');
    let job: Job | undefined;
    const text = new Promise<string>((resolve, reject) => {
      job = { id: ++this.#lastId, samples, hints: session.hints ?? [], resolve, reject };
      this.#queue.push(session, job);
    });
    this.#next();
    try {
      return await unlessAborted(text, signal);
    } finally {
      this.#queue.remove(session, job!);
      const busy = this.#hearers.find((hearer) => hearer.job === job);
      if (busy !== undefined) send(busy, { id: job!.id });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.clear()) job.reject(new Error('closed'));
    const exits = this.#hearers.map(({ child }) => new Promise((resolve) => child.once('exit', resolve)));
    for (const { child } of this.#hearers) child.kill('SIGKILL');
    await Promise.all(exits);
  }

  #next(): void {
    for (const hearer of this.#hearers) {
      if (!hearer.isReady || hearer.job !== undefined) continue;
      const job = this.#queue.shift();
      if (job === undefined) return;
      hearer.job = job;
      hearer.timer = this.#deadline(hearer, this.#deps.deadlineMs ?? defaultDeadlineMs);
      send(hearer, { id: job.id, samples: job.samples, hints: job.hints });
    }
    const isLoading = this.#hearers.some(({ isReady }) => !isReady);
    if (this.#queue.length > 0 && !isLoading && this.#hearers.length < this.#deps.max) this.#start();
  }

  #deadline({ child }: Pick<Hearer, 'child'>, ms: number): NodeJS.Timeout {
    return setTimeout(() => child.kill('SIGKILL'), ms).unref();
  }

  #start(): void {
    const { files, program = moonshine, loadMs = defaultLoadMs } = this.#deps;
    const child = fork(program, [files.encoder, files.decoder], {
      // Neither the runtime's token nor the keys of engines.
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const hearer: Hearer = { child, isReady: false, timer: this.#deadline({ child }, loadMs) };
    this.#hearers.push(hearer);
    let problem = 'its process ended while it loaded the model';
    child.on('message', (message: FromProcess) => {
      if (message.type === 'broken') {
        problem = message.problem;
        child.kill('SIGKILL');
        return;
      }
      clearTimeout(hearer.timer);
      if (message.type === 'ready') {
        hearer.isReady = true;
        this.#failedAt = undefined;
      } else settle(hearer, message);
      this.#next();
    });
    child.on('error', (error) => {
      problem = error.message;
      if (child.pid === undefined) child.emit('exit', null, null);
    });
    child.once('exit', () => this.#exited(hearer, problem));
  }

  #exited(hearer: Hearer, problem: string): void {
    clearTimeout(hearer.timer);
    this.#hearers.splice(this.#hearers.indexOf(hearer), 1);
    hearer.job?.reject(ended());
    if (this.#isClosed) return;
    if (hearer.isReady) {
      if (this.#hearers.length === 0) this.#start();
      return;
    }
    // The others serve the queue.
    if (this.#hearers.length > 0) return;
    if (this.isUsable) this.#deps.broken(problem);
    this.#failedAt = performance.now();
    for (const job of this.#queue.clear()) job.reject(ended());
  }
}

function settle(hearer: Hearer, { id, text, failure }: Extract<FromProcess, { type: 'heard' }>): void {
  const { job } = hearer;
  if (job?.id !== id) return;
  hearer.job = undefined;
  if (text === undefined) job.reject(new EngineError(0, `the hearing engine failed: ${failure}`));
  else job.resolve(text);
}

function send({ child }: Hearer, message: object): void {
  if (child.connected) child.send(message, () => {});
}
