import { type ChildProcess, spawn } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
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

type FromRuntime = { type: 'ready' } | { type: 'metrics'; id: number; text: string };

interface Arrival {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Clients that wait while the runtime starts. */
const mostWaiting = 256;
/** Between starts of one that fails at its start; the first comes at once. */
const firstPauseMs = 100;
const longestPauseMs = 5000;
/** One that has run for so long did not fail at its start. */
const soundAfterMs = 10_000;
const metricsMs = 2000;

/**
 * Starts the runtime in a process of its own, and again whenever it dies. Sockets are handed over to it, so that what it streams costs this
 * process nothing.
 */
export function startBeside({ log, env, stopMs }: BesideDeps): Beside {
  let child: ChildProcess | undefined;
  let isReady = false;
  let isClosing = false;
  let pauseMs = 0;
  let retry: NodeJS.Timeout | undefined;
  let asked = 0;
  const waiting: Arrival[] = [];
  const questions = new Map<number, (text: string) => void>();

  const start = () => {
    const startedAt = performance.now();
    const started = spawn(process.execPath, [runtimeProgram(), '--child'], {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    started.on('message', (message: FromRuntime) => {
      if (message.type === 'metrics') return answer(message.id, message.text);
      isReady = true;
      for (const arrival of waiting.splice(0)) handOver(arrival);
    });
    // What cannot be sent or started shows by the end of the process.
    started.on('error', (error) => log.debug({ reason: error.message }, 'the runtime could not be reached'));
    started.once('exit', (code, signal) => {
      isReady = false;
      child = undefined;
      for (const id of [...questions.keys()]) answer(id, '');
      if (isClosing) return;
      if (performance.now() - startedAt > soundAfterMs) pauseMs = 0;
      log.error(
        { code, signal },
        'the runtime has ended, and its conversations with it; it is started again',
      );
      retry = setTimeout(start, pauseMs);
      pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2));
    });
  };

  const answer = (id: number, text: string) => {
    questions.get(id)?.(text);
    questions.delete(id);
  };

  const handOver = ({ request, socket, head }: Arrival) => {
    if (socket.destroyed) return;
    const { method, url, headers } = request;
    const message = { type: 'upgrade', request: { method, url, headers }, head: head.toString('base64') };
    // Node would otherwise ask the other process about it, and a stop of the listener would wait for the answer.
    Object.assign(socket, { server: null });
    // Once it is handed over, what is left here is an empty shell, which still counts as a connection of the listener.
    child?.send(message, socket, () => socket.destroy());
  };

  start();
  return {
    upgrade: (request, duplex, head) => {
      const socket = duplex as Socket;
      stopReading(socket);
      // A conversation is quiet at times; the runtime finds out who is gone.
      socket.setTimeout(0);
      socket.on('error', () => {});
      const arrival = { request, socket, head };
      if (isClosing || waiting.length >= mostWaiting) refuse(socket);
      else if (isReady) handOver(arrival);
      else waiting.push(arrival);
    },
    metrics: () =>
      new Promise((resolve) => {
        if (!isReady || child === undefined) return resolve('');
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
      clearTimeout(retry);
      for (const { socket } of waiting.splice(0)) refuse(socket);
      const running = child;
      if (running === undefined) return;
      const ended = new Promise((resolve) => running.once('exit', resolve));
      if (running.connected) running.send({ type: 'drain' });
      const timer = setTimeout(() => running.kill('SIGKILL'), stopMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * What the client says from here on is for the other process. Pausing would not do: a paused stream still reads ahead, and what it has read
 * stays behind. Servers of `net` have `pauseOnConnect` for that; those of `http` need the handle itself.
 */
function stopReading(socket: Socket): void {
  (socket as unknown as { _handle: { readStop(): void } | null })._handle?.readStop();
}

function refuse(socket: Socket): void {
  socket.end(
    'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n',
  );
}
