import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Listens on a port of 127.0.0.1, by default on a free one, and returns the port. */
export async function listen(server: Server, wanted = 0): Promise<number> {
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
