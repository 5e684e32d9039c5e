import { type ChildProcess, spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type Arrival, HandOver, stopReading } from './hand-over.ts';
import { runtimeProgram } from './program.ts';

export interface BesideDeps {
  log: Logger;
  /** Variables of the runtime. */
  env: NodeJS.ProcessEnv;
  /** How long it may take to stop. */
  stopMs: number;
}

/** The runtime beside this service, for as long as the service runs. */
export interface Beside {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Its metrics; empty while it is away. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

type FromRuntime =
  | { type: 'ready' }
  | { type: 'taken'; id: number }
  | { type: 'metrics'; id: number; text: string };

/** Clients that wait while the runtime starts. */
const mostWaiting = 256;
/** Between starts of one that fails at its start; the first comes at once. */
const firstPauseMs = 100;
const longestPauseMs = 5000;
/** One that has run for so long did not fail at its start. */
const soundAfterMs = 10_000;
const metricsMs = 2000;

/**
 * Starts the runtime in a process of its own, and has another take its place whenever it dies. Sockets are handed over to it, so that what it
 * streams costs this process nothing.
 */
export function startBeside({ log, env, stopMs }: BesideDeps): Beside {
  let child: ChildProcess | undefined;
  /** Loaded, and waiting to begin: on a busy machine, to load takes most of a start. */
  let spare: ChildProcess | undefined;
  let ready: HandOver | undefined;
  let isClosing = false;
  let pauseMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let asked = 0;
  const waiting: Arrival[] = [];
  const questions = new Map<number, (text: string) => void>();

  const load = () => {
    const loaded = spawn(process.execPath, [...runtimeProgram(), '--child'], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    loaded.on('error', (error: NodeJS.ErrnoException) => {
      // What could not be sent shows by the end of the process. One that could not be started has no end of its own.
      if (!error.syscall?.startsWith('spawn'))
        return log.debug({ reason: error.message }, 'the runtime could not be reached');
      log.error({ reason: error.message }, 'the runtime could not be started');
      loaded.emit('exit', null, null);
    });
    return loaded;
  };

  const keepSpare = () => {
    pauseMs = 0;
    const kept = load();
    spare = kept;
    kept.once('exit', () => {
      if (spare === kept) spare = undefined;
    });
  };

  const start = () => {
    const started = spare ?? load();
    spare = undefined;
    child = started;
    const handOver = new HandOver(started);
    started.on('message', (message: FromRuntime) => {
      if (message.type === 'metrics') return answer(message.id, message.text);
      if (message.type === 'taken') return handOver.taken(message.id);
      ready = handOver;
      for (const arrival of waiting.splice(0)) handOver.give(arrival);
      if (!isClosing) timer = setTimeout(keepSpare, soundAfterMs);
    });
    started.once('exit', (code, signal) => {
      ready = undefined;
      child = undefined;
      clearTimeout(timer);
      for (const id of [...questions.keys()]) answer(id, '');
      for (const arrival of handOver.takeBack()) welcome(arrival);
      if (isClosing) return;
      log.error(
        { code, signal },
        'the runtime has ended, and its conversations with it; another takes its place',
      );
      timer = setTimeout(start, pauseMs);
      pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2));
    });
    if (started.connected) started.send({ type: 'begin' });
  };

  const answer = (id: number, text: string) => {
    questions.get(id)?.(text);
    questions.delete(id);
  };

  const welcome = (arrival: Arrival) => {
    if (isClosing || waiting.length >= mostWaiting) refuse(arrival.socket);
    else if (ready !== undefined) ready.give(arrival);
    else waiting.push(arrival);
  };

  start();
  return {
    upgrade: (request, duplex, head) => {
      const socket = duplex as Socket;
      stopReading(socket);
      // A conversation is quiet at times; the runtime finds out who is gone.
      socket.setTimeout(0);
      socket.on('error', () => {});
      welcome({ request, socket, head });
    },
    metrics: () =>
      new Promise((resolve) => {
        if (ready === undefined || child === undefined) return resolve('');
        const id = ++asked;
        const timer = setTimeout(() => answer(id, ''), metricsMs);
        questions.set(id, (text) => {
          clearTimeout(timer);
          resolve(text);
        });
        child.send({ type: 'metrics', id });
      }),
    close: async () => {
      isClosing = true;
      clearTimeout(timer);
      for (const { socket } of waiting.splice(0)) refuse(socket);
      await Promise.all([
        ended(spare, (idle) => idle.kill('SIGKILL')),
        ended(child, (running) => {
          if (running.connected) running.send({ type: 'drain' });
          const patience = setTimeout(() => running.kill('SIGKILL'), stopMs);
          running.once('exit', () => clearTimeout(patience));
        }),
      ]);
    },
  };
}

async function ended(child: ChildProcess | undefined, end: (child: ChildProcess) => void): Promise<void> {
  if (child === undefined) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  end(child);
  await exited;
}

function refuse(socket: Socket): void {
  socket.end(
    'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n',
  );
}
