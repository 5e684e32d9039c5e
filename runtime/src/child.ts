import type { Socket } from 'node:net';
import type { Runtime, UpgradeRequest } from './runtime.ts';

/** What the service says to the runtime beside it. */
type FromParent =
  | { type: 'upgrade'; request: UpgradeRequest; head: string }
  | { type: 'metrics'; id: number }
  | { type: 'drain' };

/**
 * Takes sockets from the service that started this process, until it says stop or is gone. Signals are the service's business: a
 * terminal sends them to both.
 */
export async function followParent(runtime: Runtime, graceSeconds: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {});
  const stop = new Promise<void>((resolve) => {
    process.on('message', (message: FromParent, socket?: Socket) => {
      if (message.type === 'upgrade') {
        // A client may have left while its socket was on its way.
        if (socket === undefined) return;
        socket.on('error', () => {});
        runtime.upgrade(message.request, socket, Buffer.from(message.head, 'base64'));
      } else if (message.type === 'metrics') {
        void runtime.metrics().then((text) => tell({ type: 'metrics', id: message.id, text }));
      } else resolve();
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
