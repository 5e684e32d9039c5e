import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from './fleet.ts';

/** One connection through the proxy. */
export interface Link {
  /** What the client said first; of PostgreSQL's protocol, who it is. */
  readonly opening: string;
  /** Breaks both halves, as a cable does. */
  cut(): void;
  /** From now on neither bytes nor a farewell get through, in either direction: both sides wait for ever. */
  mute(): void;
}

/** What a test does to the traffic. Each returns whether the bytes go on. */
export interface Meddling {
  /** What becomes of a connection as soon as it is made. Without it, it is passed on. */
  greets?: () => 'pass' | 'close' | 'mute';
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
  /** Where connections lead that are made from now on; those that exist stay where they are. */
  leadTo(port: number): void;
}

/** Passes bytes between its clients and a port, and lets a test lose them, hold them back or cut the connection. */
export async function startTcpProxy(
  cleanup: Cleanup,
  targetPort: number,
  meddling: Meddling = {},
): Promise<TcpProxy> {
  const links = new Set<Link>();
  let target = targetPort;
  // Half-open: a farewell, too, goes only where the test lets it go.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const greeting = meddling.greets?.() ?? 'pass';
    if (greeting === 'close') {
      client.destroy();
      return;
    }
    const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    let muted = greeting === 'mute';
    const link = {
      opening: '',
      cut: () => {
        client.destroy();
        upstream.destroy();
      },
      mute: () => {
        muted = true;
      },
    };
    links.add(link);
    const forget = () => {
      if (muted) return;
      links.delete(link);
      link.cut();
    };
    const pass = (from: Socket, to: Socket, goesOn: (bytes: Buffer) => boolean) => {
      from.setNoDelay(true);
      const deliver = (bytes: Buffer) => {
        if (!muted && !to.destroyed) to.write(bytes);
      };
      from.on('data', (bytes) => {
        if (muted || !goesOn(bytes)) return;
        // Timers of one length ring in the order in which they were set.
        if (meddling.lateMs === undefined) deliver(bytes);
        else setTimeout(deliver, meddling.lateMs, bytes);
      });
      from.on('end', () => muted || to.end());
      from.on('error', forget);
      from.on('close', forget);
    };
    pass(client, upstream, (bytes) => {
      if (link.opening === '') link.opening = bytes.toString('latin1');
      return meddling.toServer?.(link, bytes) ?? true;
    });
    pass(upstream, client, (bytes) => meddling.toClient?.(link, bytes) ?? true);
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
    leadTo: (other) => {
      target = other;
    },
  };
}
