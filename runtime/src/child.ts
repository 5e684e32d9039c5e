import type { Socket } from 'node:net';
import type { Runtime, UpgradeRequest } from './runtime.ts';

/** Messages of the service that started this process. */
type FromService =
  | { type: 'ping' }
  | { type: 'begin' }
  | { type: 'upgrade'; id: number; request: UpgradeRequest; head: string }
  | { type: 'metrics'; id: number }
  | { type: 'drain' };

/** The channel to the service that started this process. */
export interface ServiceChannel {
  /** Resolves when the service wants this process to open its engines: until then it is a spare. */
  readonly begun: Promise<void>;
  /** Resolves when the service wants this process to stop, or is gone; at any time, also while engines open. */
  readonly stop: Promise<void>;
  /** Takes sockets for the runtime from now on. */
  serve(runtime: Runtime): void;
}

/** Listens to the service. Signals are ignored: a terminal sends them to both processes, and the service says when to stop. */
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
    if (message.type === 'ping') send({ type: 'pong' });
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
      send({ type: 'ready' });
    },
  };
}

function takeSocket(
  runtime: Runtime | undefined,
  { id, request, head }: { id: number; request: UpgradeRequest; head: string },
  socket: Socket | undefined,
): void {
  send({ type: 'taken', id });
  // A client may have left while its socket was on its way.
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
