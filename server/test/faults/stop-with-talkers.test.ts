import { setTimeout as sleep } from 'node:timers/promises';
import { startBalancer } from '@session-launch/testing/balancer.ts';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { type Fleet, postgresFleet, until } from '@session-launch/testing/fleet.ts';
import { send } from '@session-launch/testing/http.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createWorld, runtime, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { sendUpgrade } from '../harness/upgrades.ts';

const cleanup = useCleanup();
let fleet: Fleet;
beforeAll(async () => {
  fleet = await postgresFleet(cleanup);
});

async function startTalking(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await fleet.start({ RUNTIME: 'on', SPEECH: 'captions', ...env });
  await until('a runtime', async () => {
    const { json } = await service.call({ path: '/readyz' });
    return json.runtime === 'ready';
  });
  return service;
}

/** A page that talks continuously, and launches again when its session ends or its connection fails. */
class Page {
  readonly #url: string;
  readonly #world: World;
  #isOver = false;
  /** Number of replies, and number of sessions that were ended by a shutdown. */
  answers = 0;
  shutDowns = 0;
  readonly over: Promise<void>;

  constructor(url: string, world: World) {
    this.#url = url;
    this.#world = world;
    this.over = this.#talk();
  }

  close(): Promise<void> {
    this.#isOver = true;
    return this.over;
  }

  async #talk(): Promise<void> {
    while (!this.#isOver) {
      const talker = await this.#connect().catch(() => undefined);
      if (talker === undefined) {
        await sleep(20);
        continue;
      }
      try {
        await talker.ready();
        while (!this.#isOver) {
          await talker.ask('When do the ferries leave?');
          this.answers++;
          await Promise.race([sleep(1500), talker.closed]);
        }
        await talker.leave();
      } catch {
        // Closed in any phase: the next round connects again.
        if (talker.events.at(-1)?.reason === 'server_shutdown') this.shutDowns++;
        talker.ws.terminate();
      }
    }
  }

  async #connect(): Promise<Talker> {
    const { status, json } = await send(this.#url, {
      method: 'POST',
      path: '/v1/sessions',
      headers: { Authorization: `Bearer ${this.#world.key}` },
      body: { experienceId: this.#world.experienceId },
    });
    if (status !== 201) throw new Error(`minted: ${status}`);
    return new Talker(json.launch.transport.url, json.launch.sessionToken);
  }
}

test('on SIGTERM with 20 talking clients that reconnect, the process exits with 0 within the grace, and every conversation continues at the other process', async () => {
  const balancer = await startBalancer(cleanup);
  const env = { SHUTDOWN_GRACE_SECONDS: '5', LOG_LEVEL: 'info' };
  const [leaving, staying] = await Promise.all([startTalking(env), startTalking(env)]);
  for (const { url } of [leaving, staying]) balancer.add(url);
  const mind = {
    topics: [{ id: 'ferries', ask: { en: 'When do the ferries leave?' }, tell: { en: 'At full hours.' } }],
  };
  const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: null };
  const world = await createWorld(leaving, {
    project: { limits },
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
  const pages = Array.from({ length: 20 }, () => new Page(balancer.url, world));
  onTestFinished(async () => void (await Promise.all(pages.map((page) => page.close()))));
  await until('an answer for everybody', async () => pages.every(({ answers }) => answers > 0));

  expect(await leaving.kill('SIGTERM'), leaving.stderr()).toEqual({ code: 0, signal: null });
  expect(leaving.stderr()).toContain('"msg":"stopped"');
  expect(leaving.stderr()).not.toContain('did not end in time');
  balancer.remove(leaving.url);
  await until('sessions that the stop ended', async () => pages.some(({ shutDowns }) => shutDowns > 0));
  const before = pages.map(({ answers }) => answers);
  await until('a further answer for everybody', async () =>
    pages.every(({ answers }, i) => answers > before[i]!),
  );
});

test('on SIGTERM while clients keep sending upgrades, the process exits with 0 without waiting for their sockets', async () => {
  const service = await startTalking({ SHUTDOWN_GRACE_SECONDS: '1' });
  let isOver = false;
  const sending = (async () => {
    while (!isOver) {
      // Keeps the client's side open when the service closes its side.
      const { socket } = sendUpgrade(service);
      socket.allowHalfOpen = true;
      await sleep(20);
    }
  })();
  await sleep(200);
  expect(await service.kill('SIGTERM'), service.stderr()).toEqual({ code: 0, signal: null });
  expect(service.stderr()).not.toContain('did not end in time');
  isOver = true;
  await sending;
});
