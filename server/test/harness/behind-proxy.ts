import { type Cleanup, postgresFleet } from '@session-launch/testing/fleet.ts';
import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createWorld, pageOrigin, runtime, type World } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';
import { readPage } from './pages.ts';

/** Two processes with runtimes on one database, and a world whose experience can be talked to. */
export interface Pair {
  services: [ServiceProcess, ServiceProcess];
  /** Host and port of their public listeners; `url` of a service is that of the proxy. */
  addresses: [string, string];
  world: World;
}

export async function startPair(
  cleanup: Cleanup,
  env: { PUBLIC_URL: string; SHUTDOWN_GRACE_SECONDS: string },
): Promise<Pair> {
  const fleet = await postgresFleet(cleanup);
  const [first, second] = [await freePort(), await freePort()];
  const start = (port: number) =>
    fleet.start({
      PORT: String(port),
      ...env,
      TRUST_PROXY: '127.0.0.1',
      RUNTIME: 'on',
      SPEECH: 'captions',
    });
  // The first process creates the signing keys.
  const services: [ServiceProcess, ServiceProcess] = [await start(first), await start(second)];
  const mind = { greeting: { en: 'Good morning.' }, topics: [] };
  const world = await createWorld(services[0], {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
  return { services, addresses: [`127.0.0.1:${first}`, `127.0.0.1:${second}`], world };
}

/** An example configuration with the addresses of a test. Each pattern must match. */
export function configured(example: string, replaced: [RegExp, string][]): string {
  return replaced.reduce((text, [written, here]) => {
    expect(text).toMatch(written);
    return text.replace(written, here);
  }, readPage(example));
}

export interface Client {
  from: string;
  address: string;
  talker: Talker;
  /** Mints and connects again, from the same address through the same proxy. */
  again(): Promise<Client>;
}

/** Visitors with addresses of their own who mint and talk through a proxy at `url`. */
export class Visitors {
  readonly #url: string;
  readonly #world: World;

  constructor(url: string, world: World) {
    this.#url = url;
    this.#world = world;
  }

  /** Sends a request to the proxy from a given local address. */
  call(from: string, request: Call): Promise<Answer> {
    return send(this.#url, { ...request, localAddress: from });
  }

  mint(
    from: string,
    headers: Record<string, string> = {},
    body: object = { experienceId: this.#world.experienceId },
  ): Promise<Answer> {
    return this.call(from, {
      method: 'POST',
      path: '/v1/browser-sessions',
      headers: { Origin: pageOrigin, ...headers },
      body,
    });
  }

  several(count: number, first = 2): Promise<Client[]> {
    return Promise.all(Array.from({ length: count }, (_, n) => this.one(`127.0.0.${first + n}`)));
  }

  /** Mints and connects through the proxy, from one address. */
  async one(from: string): Promise<Client> {
    const minted = await this.mint(from);
    expect(minted.status, minted.text).toBe(201);
    const { transport, sessionToken } = minted.json.launch;
    // Another proxy than that of PUBLIC_URL has another address.
    const address = `${this.#url.replace('http', 'ws')}${new URL(transport.url).pathname}`;
    const talker = new Talker(address, sessionToken, { Origin: pageOrigin }, { localAddress: from });
    await talker.ready();
    return { from, address: transport.url, talker, again: () => this.one(from) };
  }

  /** Drops the connection and resumes with its ticket. Returns whether the session continues. */
  async comeBack({ from, talker }: Client): Promise<boolean> {
    const { resumeTicket: ticket } = await talker.ready();
    const lastSeq = Math.max(...talker.events.map(({ seq = 0 }) => seq));
    const address = talker.ws.url;
    talker.ws.terminate();
    await talker.closed;
    const again = new Talker(
      address,
      '',
      { Origin: pageOrigin },
      { localAddress: from, from: { ticket, lastSeq } },
    );
    const { resumed } = await again.ready().catch(() => ({ resumed: false }));
    if (!resumed) return false;
    await again.ask('Good morning');
    await again.leave();
    return true;
  }
}

/** The number of conversations in each process. */
export function conversations(services: readonly ServiceProcess[]): Promise<number[]> {
  return Promise.all(
    services.map(async (service) => (await readMetrics(service)).total('session_runtime_sessions')),
  );
}

/** Stops a process and connects its clients again, in new sessions. Returns the old and the new clients. */
export async function moveClientsOf(stopped: ServiceProcess, clients: Client[]): Promise<Client[]> {
  const closed: { client: Client; code: number }[] = [];
  for (const client of clients) {
    void client.talker.closed.then((code) => closed.push({ client, code }));
  }
  const [before = 0] = await conversations([stopped]);
  await stopped.kill('SIGTERM');
  // Clients of the other process stay connected.
  await expect.poll(() => closed.length).toBe(before);
  expect([...new Set(closed.map(({ code }) => code))]).toEqual([1001]);
  const anew = await Promise.all(closed.map(({ client }) => client.again()));
  expect(anew.map(({ talker }) => talker.events[0].resumed)).toEqual(closed.map(() => false));
  return [...clients, ...anew];
}
