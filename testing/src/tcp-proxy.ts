import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from './fleet.ts';
import { listen } from './listen.ts';

/** One proxied connection. */
export interface Link {
  /** The first bytes from the client. In PostgreSQL's protocol they contain the user and the application name. */
  readonly opening: string;
  /** Destroys both sockets. */
  cut(): void;
  /** Stops forwarding bytes and FIN in both directions; the connections stay open. */
  mute(): void;
}

/** Hooks for intercepting traffic. `toServer` and `toClient` return whether to forward the bytes. */
export interface Interception {
  /** Decides what happens to a new connection. The default is `pass`. */
  greets?: () => 'pass' | 'close' | 'mute';
  toServer?: (link: Link, bytes: Buffer) => boolean;
  toClient?: (link: Link, bytes: Buffer) => boolean;
  /** Delay in milliseconds of forwarded bytes in each direction; their order is kept. */
  lateMs?: number;
}

export interface TcpProxy {
  port: number;
  /** Returns the URL with the port of the proxy. */
  through(url: string): string;
  links(): Link[];
  /** Sets the target port of new connections; existing ones keep theirs. */
  leadTo(port: number): void;
}

/** A TCP proxy that lets a test drop bytes, delay them, or close the connection. */
export async function startTcpProxy(
  cleanup: Cleanup,
  targetPort: number,
  interception: Interception = {},
): Promise<TcpProxy> {
  const links = new Set<Link>();
  let target = targetPort;
  // Half-open, so that FIN is also forwarded only when the test allows it.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const greeting = interception.greets?.() ?? 'pass';
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
        // Timers with equal delays fire in the order in which they were set.
        if (interception.lateMs === undefined) deliver(bytes);
        else setTimeout(deliver, interception.lateMs, bytes);
      });
      from.on('end', () => muted || to.end());
      from.on('error', forget);
      from.on('close', forget);
    };
    pass(client, upstream, (bytes) => {
      if (link.opening === '') link.opening = bytes.toString('latin1');
      return interception.toServer?.(link, bytes) ?? true;
    });
    pass(upstream, client, (bytes) => interception.toClient?.(link, bytes) ?? true);
  });
  const port = await listen(server);
  cleanup(async () => {
    for (const link of links) link.cut();
    server.close();
    await once(server, 'close');
  });
  return {
    port,
    through: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    links: () => [...links],
    leadTo: (other) => {
      target = other;
    },
  };
}
