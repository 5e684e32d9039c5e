import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { StartError } from '@session-launch/process/start-error';
import type { FastifyInstance } from 'fastify';
import { bracketed, type Config } from '../config/config.ts';

/** Checks that the addresses can be listened on, before anything else is opened or changed. */
export async function checkAddresses({ host, port, admin }: Config, withAdmin: boolean): Promise<void> {
  const addresses: [string, number, string][] = [[host, port, 'PORT']];
  if (withAdmin) addresses.push([admin.host, admin.port, 'ADMIN_PORT']);
  for (const [address, number, variable] of addresses) {
    const server = createNetServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port: number }, () => server.close(() => resolve()));
    }).catch((error) => {
      throw cannotListen(error, address, number, variable);
    });
  }
}

/** Listens, or throws a StartError that says what to do. */
export async function listen(
  server: FastifyInstance,
  host: string,
  port: number,
  variable: string,
): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw cannotListen(error, host, port, variable);
  }
}

function cannotListen(error: unknown, host: string, port: number, variable: string): unknown {
  const notHere = `${host} is not an address of this machine; correct ${variable === 'PORT' ? 'HOST' : 'ADMIN_HOST'}`;
  const what: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is already in use; stop the process that uses it, or set ${variable} to another port`,
    EACCES: `port ${port} on ${host} requires privileges that this user does not have; set ${variable} to a port above 1023`,
    EADDRNOTAVAIL: notHere,
    ENOTFOUND: notHere,
    EAI_AGAIN: notHere,
  };
  const message = what[(error as NodeJS.ErrnoException).code ?? ''];
  return message === undefined ? error : new StartError(message, { cause: error });
}

/** The URL of a listener on this machine. */
export function addressOf(server: FastifyInstance, host: string): string {
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${bracketed(named)}:${portOf(server)}`;
}

export function portOf(server: FastifyInstance): number {
  return (server.server.address() as AddressInfo).port;
}
