import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from './fleet.ts';

/** One connection through the proxy. */
export interface Link {
  /** What the client said first; of PostgreSQL's protocol, who it is. */
  readonly opening: string;
  /** Breaks both halves, as a cable does. */
  cut(): void;
}

/** What a test does to the traffic. Each returns whether the bytes go on. */
export interface Meddling {
  toServer?: (link: Link, bytes: Buffer) => boolean;
  toClient?: (link: Link, bytes: Buffer) => boolean;
  /** How far away the server seems: so much later bytes arrive at either end, in their order. */
  lateMs?: number;
}

export interface TcpProxy {
  port: number;
  /** An address that leads through the proxy. */
  through(url: string): string;
  links(): Link[];
}

/** Passes bytes between its clients and a port, and lets a test lose them, hold them back or cut the connection. */
export async function startTcpProxy(
  cleanup: Cleanup,
  targetPort: number,
  meddling: Meddling = {},
): Promise<TcpProxy> {
  const links = new Set<Link>();
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    const link = {
      opening: '',
      cut: () => {
        client.destroy();
        upstream.destroy();
      },
    };
    links.add(link);
    const forget = () => {
      links.delete(link);
      link.cut();
    };
    pass(client, upstream, meddling.lateMs, forget, (bytes) => {
      if (link.opening === '') link.opening = bytes.toString('latin1');
      return meddling.toServer?.(link, bytes) ?? true;
    });
    pass(upstream, client, meddling.lateMs, forget, (bytes) => meddling.toClient?.(link, bytes) ?? true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup(async () => {
    for (const link of links) link.cut();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    through: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    links: () => [...links],
  };
}

function pass(
  from: Socket,
  to: Socket,
  lateMs: number | undefined,
  forget: () => void,
  goesOn: (bytes: Buffer) => boolean,
): void {
  from.setNoDelay(true);
  const deliver = (bytes: Buffer) => {
    if (!to.destroyed) to.write(bytes);
  };
  from.on('data', (bytes) => {
    if (!goesOn(bytes)) return;
    // Timers of one length ring in the order in which they were set.
    if (lateMs === undefined) deliver(bytes);
    else setTimeout(deliver, lateMs, bytes);
  });
  from.on('error', forget);
  from.on('close', forget);
  from.on('end', () => to.end());
}
