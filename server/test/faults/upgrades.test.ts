import { setTimeout as sleep } from 'node:timers/promises';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { readRuntimeMetrics } from '@session-launch/testing/metrics.ts';
import { openConnection } from '@session-launch/testing/raw-http.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { mintFromServer } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import { effort, isLong } from '../harness/effort.ts';
import { openDescriptors, runtimeProcesses, sendUpgrade, upgradeRequest } from '../harness/upgrades.ts';
import { useTestedService } from './victim.ts';

// Trusts a proxy, so that each client can have its own network.
const tested = useTestedService({
  env: { RUNTIME: 'on', TRUST_PROXY: '127.0.0.1', SPEECH: 'captions' },
  descriptors: 4096,
});

beforeAll(async () => void (await readRuntimeMetrics(tested.service)));

/** Connects as the SDK does: retries after a rejection. */
async function talker(): Promise<Talker> {
  for (;;) {
    const { sessionToken } = await launched(tested.service, tested.world);
    const client = new Talker(`${tested.service.url.replace('http', 'ws')}/runtime`, sessionToken);
    const isIn = await Promise.race([client.ready().then(() => true), client.closed.then(() => false)]).catch(
      () => false,
    );
    if (isIn) return client;
    await sleep(100);
  }
}

let networks = 0;

/** Sends upgrade requests in groups, each socket from its own network, and calls a function for each group. */
async function upgrades(
  count: number,
  then: (sockets: ReturnType<typeof sendUpgrade>[]) => Promise<unknown>,
) {
  for (let sent = 0; sent < count; sent += 50)
    await then(
      Array.from({ length: Math.min(50, count - sent) }, () => sendUpgrade(tested.service, networks++)),
    );
}

/** Expects the same number of descriptors as before, within a tolerance for short-lived ones. */
async function expectLevel(before: { service: number; runtime: number }): Promise<void> {
  await expect
    .poll(async () => {
      const now = await openDescriptors(tested.service);
      return { service: now.service <= before.service + 10, runtime: now.runtime <= before.runtime + 10 };
    })
    .toEqual({ service: true, runtime: true });
}

test('a stopped runtime is replaced; mints continue, /healthz answers, and waiting upgrades leak no descriptor', async () => {
  const before = await openDescriptors(tested.service);
  const [stopped] = runtimeProcesses(tested.service);
  process.kill(stopped!, 'SIGSTOP');
  const stoppedAt = performance.now();
  let isOver = false;
  const statuses = new Set<number>();
  const asking = (async () => {
    while (!isOver) {
      statuses.add((await tested.service.call({ path: '/healthz' })).status);
      const { key, experienceId } = tested.world;
      statuses.add((await mintFromServer(tested.service, key, { experienceId })).status);
      await sleep(20);
    }
  })();
  // A third of the clients resets the connection, a third closes its side, and a third waits for the response.
  const patient: Promise<void>[] = [];
  const crowd = upgrades(effort(400, 1_000), async (sockets) => {
    await sleep(200);
    for (const [i, { socket, closed }] of sockets.entries()) {
      if (i % 3 === 0) socket.resetAndDestroy();
      else if (i % 3 === 1) socket.end();
      patient.push(closed);
    }
  });
  let client: Talker;
  try {
    client = await talker();
    const seconds = (performance.now() - stoppedAt) / 1000;
    if (isLong) expect(seconds).toBeLessThan(15);
    await crowd;
  } finally {
    isOver = true;
  }
  await asking;
  expect(statuses).toEqual(new Set([200, 201]));
  expect(runtimeProcesses(tested.service)).not.toContain(stopped);
  await client.leave();
  // The new runtime closes sockets that never send `hello`.
  await Promise.all(patient);
  await expectLevel(before);
});

test('refused upgrades leak no descriptor, even if their clients keep their side open', async () => {
  const before = await openDescriptors(tested.service);
  const wanted = effort(250, 5_000);
  let refused = 0;
  for (let sent = 0; refused < wanted && sent < 20 * wanted; sent += 50) {
    const group = Array.from({ length: 50 }, () => openConnection(tested.service.url));
    for (const { socket } of group) {
      socket.allowHalfOpen = true;
      socket.write(upgradeRequest(16_000_000));
    }
    await Promise.all(
      group.map(async ({ socket, received }) => {
        if (received().length === 0) await new Promise((resolve) => socket.once('data', resolve));
        if (received().toString('latin1', 9, 12) === '429') refused++;
      }),
    );
    const now = await openDescriptors(tested.service);
    expect(now.service).toBeLessThan(before.service + 300);
    for (const { socket } of group) socket.destroy();
  }
  expect(refused).toBeGreaterThanOrEqual(wanted);
  await expectLevel(before);
});

test('abandoned handshakes leak no descriptor', async () => {
  const before = await openDescriptors(tested.service);
  const count = effort(500, 10_000) / 2;
  await upgrades(count, async (sockets) => {
    await sleep(5);
    for (const { socket } of sockets) socket.resetAndDestroy();
  });
  for (let sent = 0; sent < count; sent += 50) {
    const group = Array.from({ length: 50 }, () => openConnection(tested.service.url));
    for (const { socket } of group) socket.write(upgradeRequest(networks++).slice(0, 80));
    await sleep(5);
    for (const { socket } of group) socket.destroy();
  }
  await expectLevel(before);
  const client = await talker();
  await client.leave();
});
