import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from './fleet.ts';
import { send } from './http.ts';
import { listen } from './listen.ts';

export interface Balancer {
  url: string;
  /** Adds a backend. It receives connections while it is ready. */
  add(url: string): void;
  remove(url: string): void;
}

interface Backend {
  url: string;
  isReady: boolean;
}

const checkEveryMs = 100;

/**
 * A round-robin TCP load balancer. A backend that is not ready or refuses connections is skipped until it is ready again. While no
 * backend is ready, client connections are queued.
 */
export async function startBalancer(cleanup: Cleanup): Promise<Balancer> {
  const backends = new Map<string, Backend>();
  const sockets = new Set<Socket>();
  const waiting: Socket[] = [];
  let turn = 0;

  const next = (): Backend | undefined => {
    const ready = [...backends.values()].filter((backend) => backend.isReady);
    return ready[turn++ % ready.length];
  };
  const serve = (client: Socket): void => {
    const backend = next();
    if (backend === undefined) {
      waiting.push(client);
      return;
    }
    const { hostname, port } = new URL(backend.url);
    const upstream = connect(Number(port), hostname);
    const onRefused = () => {
      backend.isReady = false;
      serve(client);
    };
    upstream.once('error', onRefused);
    upstream.once('connect', () => {
      upstream.off('error', onRefused);
      join(client, upstream);
    });
  };
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const join = (client: Socket, upstream: Socket) => {
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      track(from);
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  };

  const server = createServer({ pauseOnConnect: true, noDelay: true }, serve);
  const port = await listen(server);
  const check = async (backend: Backend): Promise<void> => {
    const answer = await send(backend.url, { path: '/readyz' }).catch(() => undefined);
    backend.isReady = answer?.status === 200;
    if (backend.isReady) for (const client of waiting.splice(0)) serve(client);
  };
  const timer = setInterval(() => {
    for (const backend of backends.values()) void check(backend);
  }, checkEveryMs);
  cleanup(async () => {
    clearInterval(timer);
    for (const socket of [...sockets, ...waiting]) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${port}`,
    add: (url) => backends.set(url, { url, isReady: true }),
    remove: (url) => backends.delete(url),
  };
}
