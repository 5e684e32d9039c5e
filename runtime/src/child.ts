import type { Socket } from 'node:net';
import type { Runtime, UpgradeRequest } from './runtime.ts';

/** What the service says to the runtime beside it. */
type FromParent =
  | { type: 'begin' }
  | { type: 'upgrade'; id: number; request: UpgradeRequest; head: string }
  | { type: 'metrics'; id: number }
  | { type: 'drain' };

/**
 * Waits for the service that started this process to say that its time has come: until then it is a spare, which costs little. False when the
 * service is gone. Signals are the service's business: a terminal sends them to both.
 */
export function untilBegun(): Promise<boolean> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
  return new Promise((resolve) => {
    process.once('message', () => resolve(true));
    process.once('disconnect', () => resolve(false));
    if (!process.connected) resolve(false);
  });
}

/** Takes sockets from the service, until it says stop or is gone. */
export async function followParent(runtime: Runtime, graceSeconds: number): Promise<void> {
  const stop = new Promise<void>((resolve) => {
    process.on('message', (message: FromParent, socket?: Socket) => {
      if (message.type === 'upgrade') {
        tell({ type: 'taken', id: message.id });
        // A client may have left while its socket was on its way.
        if (socket === undefined) return;
        socket.on('error', () => {});
        runtime.upgrade(message.request, socket, Buffer.from(message.head, 'base64'));
      } else if (message.type === 'metrics') {
        void runtime.metrics().then((text) => tell({ type: 'metrics', id: message.id, text }));
      } else if (message.type === 'drain') resolve();
    });
    process.once('disconnect', resolve);
    // It may have gone while the engines were opened, and then nobody tells.
    if (!process.connected) resolve();
  });
  tell({ type: 'ready' });
  await stop;
  await runtime.drain(graceSeconds);
}

function tell(message: object): void {
  if (process.connected) process.send?.(message);
}
