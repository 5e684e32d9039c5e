import { setTimeout as sleep } from 'node:timers/promises';
import { type Cleanup, postgresFleet, until } from '@session-launch/testing/fleet.ts';
import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import { readRuntimeMetrics } from '@session-launch/testing/metrics.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createWorld, pageOrigin, runtime, type World } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';

/** Two processes with runtimes on one database, and a world whose experience can be talked to. */
export interface Pair {
  services: [ServiceProcess, ServiceProcess];
  /** Host and port of their public listeners; `url` of a service is that of the proxy. */
  addresses: [string, string];
  /** The same of their admin listeners. */
  consoles: [string, string];
  world: World;
  /** Starts a process again at its addresses, after it has stopped. */
  restart(at: 0 | 1): Promise<void>;
}

export async function startPair(
  cleanup: Cleanup,
  env: { PUBLIC_URL: string; SHUTDOWN_GRACE_SECONDS: string },
): Promise<Pair> {
  const fleet = await postgresFleet(cleanup);
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()].map(String);
  const start = async (at: 0 | 1) => {
    const service = await fleet.start({
      PORT: ports[at]!,
      ADMIN_PORT: ports[at + 2]!,
      ADMIN_URL: consoleUrl,
      ...env,
      TRUST_PROXY: '127.0.0.1',
      RUNTIME: 'on',
      SPEECH: 'captions',
    });
    await readRuntimeMetrics(service);
    return service;
  };
  // The first process creates the signing keys.
  const services: Pair['services'] = [await start(0), await start(1)];
  const mind = { greeting: { en: 'Good morning.' }, topics: [] };
  // Restarts can take minutes on a busy machine; clients that talked once stay connected.
  const limits = { maxSeconds: 3600, idleSeconds: 1800 };
  const world = await createWorld(services[0], {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind, limits }) },
  });
  return {
    services,
    addresses: [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`],
    consoles: [`127.0.0.1:${ports[2]}`, `127.0.0.1:${ports[3]}`],
    world,
    restart: async (at) => {
      services[at] = await start(at);
    },
  };
}

/** The address of the console in the examples. */
export const consoleUrl = 'https://admin.example.com';

/** The addresses of the examples, and those of a pair. */
export function backendsOf({ addresses, consoles }: Pair): [RegExp, string][] {
  return [
    [/10\.0\.0\.11:8080/g, addresses[0]],
    [/10\.0\.0\.12:8080/g, addresses[1]],
    [/10\.0\.0\.11:8081/g, consoles[0]],
    [/10\.0\.0\.12:8081/g, consoles[1]],
    // The console accepts this network only.
    [/10\.0\.0\.0\/8/g, '127.0.0.1/32'],
  ];
}

/** A configuration with the addresses of a test. Each pattern must match. */
export function configured(configuration: string, replaced: [RegExp, string][]): string {
  return replaced.reduce((text, [written, here]) => {
    expect(text).toMatch(written);
    return text.replace(written, here);
  }, configuration);
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

  /** Mints from a backend, which is not limited by the client's address. */
  mintFromBackend(headers: Record<string, string>): Promise<Answer> {
    const { key, experienceId } = this.#world;
    return send(this.#url, {
      method: 'POST',
      path: '/v1/sessions',
      headers: { Authorization: `Bearer ${key}`, ...headers },
      body: { experienceId },
    });
  }

  several(count: number, first = 2): Promise<Client[]> {
    return Promise.all(Array.from({ length: count }, (_, n) => this.one(`127.0.0.${first + n}`)));
  }

  /** Mints and connects through the proxy, from one address. */
  async one(from: string): Promise<Client> {
    const keyed = { 'Idempotency-Key': crypto.randomUUID() };
    let minted = await this.mint(from, keyed);
    // The connection to a process that stops can break; clients repeat such a request with its key.
    if (minted.status >= 500) minted = await this.mint(from, keyed);
    expect(minted.status, minted.text).toBe(201);
    const { transport, sessionToken } = minted.json.launch;
    // Another proxy than that of PUBLIC_URL has another address.
    const address = `${this.#url.replace('http', 'ws')}${new URL(transport.url).pathname}`;
    const talker = new Talker(address, sessionToken, { Origin: pageOrigin }, { localAddress: from });
    await talker.ready();
    return { from, address: transport.url, talker, again: () => this.one(from) };
  }

  /** Connects from one address after another until the proxy selects a given process. */
  async untilUsed(service: ServiceProcess): Promise<void> {
    let last = 150;
    await until('the proxy to use the process', async () => {
      const [before = 0] = await conversations([service]);
      const { talker } = await this.one(`127.0.0.${last++}`);
      const [after = 0] = await conversations([service]);
      await talker.leave();
      return after > before;
    });
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
    services.map(async (service) => (await readRuntimeMetrics(service)).total('session_runtime_sessions')),
  );
}

async function talk({ talker }: Client): Promise<void> {
  expect(await talker.ask('Good morning')).not.toBe('');
}

/** Stops a process and connects its clients again, in new sessions. Returns the clients that are connected. */
async function moveClientsOf(stopped: ServiceProcess, clients: Client[]): Promise<Client[]> {
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
  await Promise.all(anew.map(talk));
  const gone = new Set(closed.map(({ client }) => client));
  return [...clients.filter((client) => !gone.has(client)), ...anew];
}

/**
 * Restarts both processes one after the other, while backends mint with keys and clients talk through each proxy. Checks that no mint
 * fails and that every client of a stopped process continues in a new session.
 */
export async function restartBoth(pair: Pair, proxies: Visitors[], perProxy: number): Promise<void> {
  const loads = proxies.map((visitors) => keyedMints((headers) => visitors.mintFromBackend(headers)));
  const connected = proxies.map((visitors, at) => visitors.several(perProxy, 70 + 20 * at));
  let clients = (await Promise.all(connected)).flat();
  await Promise.all(clients.map(talk));
  for (const at of [0, 1] as const) {
    clients = await moveClientsOf(pair.services[at], clients);
    await pair.restart(at);
    for (const visitors of proxies) await visitors.untilUsed(pair.services[at]);
  }
  for (const load of loads) await load.stop();
  for (const { minted, failed } of loads) {
    expect(failed).toEqual([]);
    expect(minted.length).toBeGreaterThan(20);
    expect(new Set(minted).size).toBe(minted.length);
  }
  expect(clients).toHaveLength(perProxy * proxies.length);
  await Promise.all(clients.map(talk));
  for (const { talker } of clients) talker.ws.terminate();
}

/** Milliseconds between two mints of a client: a restart should have the processor for itself. */
const mintPauseMs = 100;

/** Mints with a key each until it is stopped. A request without a 201 is repeated once, as a client with a key may do. */
function keyedMints(mint: (headers: Record<string, string>) => Promise<Answer>) {
  const minted: string[] = [];
  const failed: string[] = [];
  let isOver = false;
  const attempt = (key: string) =>
    mint({ 'Idempotency-Key': key }).catch((error: NodeJS.ErrnoException) => String(error.code));
  const clients = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      await sleep(mintPauseMs);
      const key = crypto.randomUUID();
      let answer = await attempt(key);
      if (typeof answer === 'string' || answer.status >= 500) answer = await attempt(key);
      if (typeof answer !== 'string' && [200, 201].includes(answer.status))
        minted.push(answer.json.session.sessionId);
      else failed.push(typeof answer === 'string' ? answer : `${answer.status} ${answer.text}`);
    }
  });
  return {
    minted,
    failed,
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  };
}
