import type { Socket } from 'node:net';
import type { Runtime, UpgradeRequest } from './runtime.ts';

/** IPC messages from the parent service process. */
type FromService =
  | { type: 'ping' }
  | { type: 'begin' }
  | { type: 'upgrade'; id: number; request: UpgradeRequest; head: string }
  | { type: 'metrics'; id: number }
  | { type: 'drain' };

/** The IPC channel to the parent service process. */
export interface ServiceChannel {
  /** Resolves when the service requests that this process open its engines; before that the process is a spare. */
  readonly begun: Promise<void>;
  /** Resolves when the service requests a stop or the channel closes. May happen at any time, also while engines open. */
  readonly stop: Promise<void>;
  /** Passes further sockets to the runtime. */
  serve(runtime: Runtime): void;
}

/**
 * Opens the channel. Ignores SIGTERM and SIGINT: a terminal sends them to both processes, and the service sends `drain` to stop this one.
 */
export function openServiceChannel(): ServiceChannel {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
  let runtime: Runtime | undefined;
  let begin = () => {};
  let end = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const stop = new Promise<void>((resolve) => {
    end = resolve;
  });
  process.on('message', (message: FromService, socket?: Socket) => {
    if (message.type === 'ping') send({ type: 'pong', ...(runtime && { hearing: runtime.hearing() }) });
    else if (message.type === 'begin') begin();
    else if (message.type === 'drain') end();
    else if (message.type === 'upgrade') takeSocket(runtime, message, socket);
    else if (message.type === 'metrics') void sendMetrics(runtime, message.id);
  });
  process.once('disconnect', end);
  if (!process.connected) end();
  return {
    begun,
    stop,
    serve: (started) => {
      runtime = started;
      send({ type: 'ready', hearing: started.hearing() });
    },
  };
}

function takeSocket(
  runtime: Runtime | undefined,
  { id, request, head }: { id: number; request: UpgradeRequest; head: string },
  socket: Socket | undefined,
): void {
  send({ type: 'taken', id });
  // `undefined` if the client disconnected before the socket was transferred.
  if (socket === undefined) return;
  socket.on('error', () => {});
  if (runtime === undefined) socket.destroy();
  else runtime.upgrade(request, socket, Buffer.from(head, 'base64'));
}

async function sendMetrics(runtime: Runtime | undefined, id: number): Promise<void> {
  const text = (await runtime?.metrics().catch(() => '')) ?? '';
  send({ type: 'metrics', id, text });
}

function send(message: object): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
