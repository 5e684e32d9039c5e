import { type ChildProcess, spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import type { RuntimeState } from '@session-launch/contract/health';
import type { Logger } from 'pino';
import { lineSink } from '../observe/log.ts';
import type { RuntimeStatus } from '../observe/runtime-metrics.ts';
import { Heartbeat } from './heartbeat.ts';
import { runtimeProgram } from './program.ts';
import { UpgradeQueue, type UpgradeQueueDeps } from './upgrade-queue.ts';

export interface SupervisorDeps extends UpgradeQueueDeps {
  log: Logger;
  /** Variables of the runtime. */
  env: NodeJS.ProcessEnv;
  /** How long the runtime may take to stop before it is killed. */
  stopMs: number;
  /** Arguments for Node that run the runtime. */
  program?: string[];
  pingEveryMs?: number;
}

/** The included runtime, which runs as long as the service. */
export interface Supervisor {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Metrics of the runtime; empty while there is none. */
  metrics(): Promise<string>;
  status(): RuntimeStatus;
  close(): Promise<void>;
}

type FromRuntime =
  | { type: 'ready'; hearing: string }
  | { type: 'pong'; hearing?: string }
  | { type: 'taken'; id: number }
  | { type: 'metrics'; id: number; text: string };

/** Milliseconds before the next start after a failed one, doubled each time; the first restart is immediate. */
const firstPauseMs = 100;
const longestPauseMs = 5000;
/** A runtime that has run for this many milliseconds has started successfully. */
const stableAfterMs = 10_000;
const metricsMs = 2000;

/** A loaded process and its heartbeat. */
interface Loaded {
  process: ChildProcess;
  heartbeat: Heartbeat;
}

/**
 * Runs the runtime in a separate process and replaces it when it exits or hangs. Sockets are passed to it, so that streaming costs this
 * process nothing.
 */
export function superviseRuntime(deps: SupervisorDeps): Supervisor {
  const { log, env, stopMs, program = [...runtimeProgram(), '--child'], pingEveryMs } = deps;
  const upgrades = new UpgradeQueue(deps);
  const writeLine = lineSink(log);
  let current: Loaded | undefined;
  /** A process that has loaded its code and waits to begin. On a busy machine, loading takes most of a start. */
  let spare: Loaded | undefined;
  let state: RuntimeState = 'starting';
  let hearing: string | undefined;
  const restarts = { exit: 0, hung: 0, failed_start: 0 };
  let isClosing = false;
  let pauseMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastRequestId = 0;
  const metricsRequests = new Map<number, (text: string) => void>();

  const load = (): Loaded => {
    const process = spawn(globalThis.process.execPath, program, {
      env,
      // Its log lines are written here. With an inherited descriptor, libuv would switch ours to blocking writes as well.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    createInterface({ input: process.stderr! }).on('line', (line) => writeLine(`${line}\n`));
    const hung = () => {
      log.error({ pid: process.pid }, 'the runtime does not respond, and is killed');
      process.kill('SIGKILL');
    };
    // The spare has loaded by the time the process is killed.
    const late = () => {
      if (current?.process === process && !isClosing) loadSpare();
    };
    const heartbeat = new Heartbeat(process, { late, hung }, pingEveryMs);
    process.once('exit', () => heartbeat.stop());
    process.on('error', (error: NodeJS.ErrnoException) => {
      // A failed send is followed by `exit`. A process that could not be spawned emits none.
      if (!error.syscall?.startsWith('spawn'))
        return log.debug({ reason: error.message }, 'the runtime could not be reached');
      log.error({ reason: error.message }, 'the runtime could not be started');
      process.emit('exit', null, null);
    });
    process.on('message', (message: FromRuntime) => {
      if (message.type === 'pong') heartbeat.answered();
    });
    return { process, heartbeat };
  };

  const keepSpare = () => {
    pauseMs = 0;
    loadSpare();
  };

  const loadSpare = () => {
    if (spare !== undefined) return;
    const kept = load();
    spare = kept;
    kept.process.once('exit', () => {
      if (spare !== kept) return;
      spare = undefined;
      if (isClosing || state !== 'ready') return;
      clearTimeout(timer);
      timer = setTimeout(keepSpare, stableAfterMs);
    });
  };

  const takeSpare = (): Loaded | undefined => {
    const taken = spare;
    spare = undefined;
    if (!taken?.heartbeat.isSuspicious) return taken;
    taken.process.kill('SIGKILL');
    return undefined;
  };

  const start = () => {
    const started = takeSpare() ?? load();
    current = started;
    const { process, heartbeat } = started;
    process.on('message', (message: FromRuntime) => {
      if ('hearing' in message) hearing = message.hearing;
      if (message.type === 'metrics') answer(message.id, message.text);
      else if (message.type === 'taken') upgrades.taken(message.id);
      else if (message.type === 'ready') {
        state = isClosing ? 'off' : 'ready';
        heartbeat.ready();
        upgrades.sendTo(process);
        if (!isClosing) timer = setTimeout(keepSpare, stableAfterMs);
      }
    });
    process.once('exit', (code, signal) => {
      const cause = state !== 'ready' ? 'failed_start' : heartbeat.isHung ? 'hung' : 'exit';
      current = undefined;
      hearing = undefined;
      clearTimeout(timer);
      for (const id of [...metricsRequests.keys()]) answer(id, '');
      upgrades.processEnded();
      if (isClosing) return;
      restarts[cause]++;
      state = 'restarting';
      log.error(
        { code, signal, cause },
        'the runtime has exited, and its conversations have ended; another one is started',
      );
      timer = setTimeout(start, pauseMs);
      pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2));
    });
    heartbeat.opening();
    if (process.connected) process.send({ type: 'begin' }, () => {});
  };

  const answer = (id: number, text: string) => {
    metricsRequests.get(id)?.(text);
    metricsRequests.delete(id);
  };

  start();
  return {
    upgrade: (request, socket, head) => upgrades.add(request, socket as Socket, head),
    metrics: () =>
      new Promise((resolve) => {
        if (state !== 'ready' || current === undefined) return resolve('');
        const id = ++lastRequestId;
        const late = setTimeout(() => answer(id, ''), metricsMs);
        metricsRequests.set(id, (text) => {
          clearTimeout(late);
          resolve(text);
        });
        current.process.send({ type: 'metrics', id }, () => {});
      }),
    status: () => ({
      state,
      hearing,
      restarts,
      upgrades: upgrades.reports.total,
      upgradesInFlight: upgrades.inFlight,
    }),
    close: async () => {
      isClosing = true;
      state = 'off';
      clearTimeout(timer);
      upgrades.stop();
      await Promise.all([
        ended(spare, ({ process }) => process.kill('SIGKILL')),
        ended(current, ({ process }) => {
          if (process.connected) process.send({ type: 'drain' }, () => {});
          const late = setTimeout(() => process.kill('SIGKILL'), stopMs);
          process.once('exit', () => clearTimeout(late));
        }),
      ]);
    },
  };
}

async function ended(loaded: Loaded | undefined, end: (loaded: Loaded) => void): Promise<void> {
  if (loaded === undefined) return;
  const exited = new Promise((resolve) => loaded.process.once('exit', resolve));
  end(loaded);
  await exited;
}
