import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBalancer } from '@session-launch/testing/balancer.ts';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { type Fleet, postgresFleet, until } from '@session-launch/testing/fleet.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld, runtime } from '@session-launch/testing/world.ts';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { actAsBrowser, openSockets, SdkClient } from '../harness/sdk-clients.ts';
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

test('on SIGTERM with 20 talking clients that reconnect, the process exits with 0 within the grace, and every conversation continues at the other process', async () => {
  const balancer = await startBalancer(cleanup);
  const env = { SHUTDOWN_GRACE_SECONDS: '5', LOG_LEVEL: 'info' };
  const [leaving, staying] = await Promise.all([startTalking(env), startTalking(env)]);
  for (const { url } of [leaving, staying]) balancer.add(url);
  const [question, answer] = ['When do the ferries leave?', 'At full hours.'];
  const mind = { topics: [{ id: 'ferries', ask: { en: question }, tell: { en: answer } }] };
  const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: null };
  const { experienceId } = await createWorld(leaving, {
    project: { limits },
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
  actAsBrowser();
  const options = { baseUrl: balancer.url, experienceId, question, answer, pauseMs: 1500 };
  const clients = Array.from({ length: 20 }, () => new SdkClient(options));
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))));
  await until('an answer for everybody', async () => clients.every(({ answers }) => answers > 0));
  expect(openSockets(leaving.url)).not.toEqual([]);

  expect(await leaving.kill('SIGTERM'), leaving.stderr()).toEqual({ code: 0, signal: null });
  expect(leaving.stderr()).toContain('"msg":"stopped"');
  expect(leaving.stderr()).not.toContain('did not end in time');
  balancer.remove(leaving.url);
  await until('no socket of the stopped process', async () => openSockets(leaving.url).length === 0);
  const before = clients.map(({ answers }) => answers);
  await until('a further answer for everybody', async () =>
    clients.every(({ answers }, i) => answers > before[i]!),
  );
  expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
  expect(new Set(clients.map(({ state }) => state))).toEqual(new Set(['live']));
  expect(openSockets(staying.url)).toHaveLength(clients.length);
  const ends = clients.flatMap((client) => client.ends);
  expect(ends.length).toBeGreaterThan(0);
  expect(new Set(ends)).toEqual(new Set(['server_shutdown']));
});

test('on SIGTERM while clients keep sending upgrades, the process exits with 0 without waiting for their sockets', async () => {
  const service = await startTalking({ SHUTDOWN_GRACE_SECONDS: '1' });
  let isOver = false;
  const sockets: Socket[] = [];
  const sending = (async () => {
    while (!isOver) {
      const { socket } = sendUpgrade(service);
      sockets.push(socket);
      // Keeps the client's side open when the service closes its side.
      socket.allowHalfOpen = true;
      await sleep(20);
    }
  })();
  try {
    await sleep(200);
    expect(await service.kill('SIGTERM'), service.stderr()).toEqual({ code: 0, signal: null });
    expect(service.stderr()).not.toContain('did not end in time');
  } finally {
    isOver = true;
    await sending;
    for (const socket of sockets) socket.destroy();
  }
});
