import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { type SupervisorDeps, superviseRuntime } from '../../src/runtimes/supervisor.ts';

const { execPath } = process;
afterEach(() => {
  process.execPath = execPath;
});

const standIn = fileURLToPath(new URL('../harness/stand-in-runtime.mjs', import.meta.url));

/** A supervisor with a stand-in for the runtime behind a listener of its own. */
async function supervise(behaviour: string, more: Partial<SupervisorDeps> = {}) {
  const lines: string[] = [];
  const supervisor = superviseRuntime({
    log: pino({ base: null }, { write: (line: string) => lines.push(line) }),
    env: { BEHAVIOUR: behaviour },
    stopMs: 1000,
    mostUpgrades: 4,
    program: [standIn],
    ...more,
  });
  const server = createServer((_request, response) => response.end());
  server.on('upgrade', supervisor.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await supervisor.close();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    ...supervisor,
    lines: (text: string) => lines.filter((line) => line.includes(text)).length,
    connections: () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    upgrade: (early = '') => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.write(
        `GET /runtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${early}`,
      );
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', () => {});
      const ended = new Promise<string>((resolve) => {
        socket.once('end', () => resolve(received));
        socket.once('close', () => resolve(received));
      });
      return { socket, ended };
    },
  };
}

test('a runtime that cannot be started is tried again, and delays no stop', async () => {
  process.execPath = '/nowhere/node';
  const { lines, metrics } = await supervise('sound');
  await expect.poll(() => lines('could not be started')).toBeGreaterThan(2);
  expect(await metrics()).toBe('');
});

test('a runtime that answers no pings is killed, and another one is started', async () => {
  const { lines, metrics } = await supervise('silent', { pingEveryMs: 50 });
  await expect.poll(metrics).toMatch(/pid/);
  const first = await metrics();
  await expect.poll(() => lines('does not answer')).toBeGreaterThan(0);
  await expect.poll(metrics).toMatch(/pid/);
  expect(await metrics()).not.toBe(first);
});

test('a runtime that is never ready is killed, and another one is started', async () => {
  const { lines } = await supervise('never ready', { pingEveryMs: 5 });
  await expect.poll(() => lines('another one is started')).toBeGreaterThan(1);
  expect(lines('does not answer')).toBeGreaterThan(1);
});

test('a service whose own event loop is blocked kills no runtime', async () => {
  const { lines, metrics } = await supervise('sound', { pingEveryMs: 200 });
  await expect.poll(metrics).toMatch(/pid/);
  const first = await metrics();
  const until = performance.now() + 2500;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await metrics()).toBe(first);
  expect(lines('does not answer')).toBe(0);
});

test('upgrades beyond the bound get 503 with Retry-After, and their sockets are closed although the client keeps its side open', async () => {
  const { upgrade, connections } = await supervise('never ready');
  const waiting = Array.from({ length: 4 }, () => upgrade());
  await expect.poll(connections).toBe(4);
  const refused = Array.from({ length: 20 }, () => upgrade());
  for (const { ended } of refused)
    expect(await ended).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n/);
  await expect.poll(connections).toBe(4);
  for (const { socket } of [...waiting, ...refused]) socket.destroy();
});

test('a client that leaves while it waits makes room for another one', async () => {
  const { upgrade, connections } = await supervise('never ready');
  for (let round = 0; round < 5; round++) {
    const waiting = Array.from({ length: 4 }, () => upgrade());
    await expect.poll(connections).toBe(4);
    // Half of them close their side only, the others reset the connection.
    for (const [i, { socket }] of waiting.entries()) i % 2 ? socket.end() : socket.resetAndDestroy();
    await expect.poll(connections).toBe(0);
    for (const { socket } of waiting) socket.destroy();
  }
});

test('bytes that a client sends before its socket is handed over reach the runtime', async () => {
  const { upgrade } = await supervise('sound');
  const { socket, ended } = upgrade('early');
  socket.write(' and later');
  expect(await ended).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nearly/);
  socket.destroy();
});

test('a socket that a killed runtime did not take goes to the next runtime', async () => {
  const { upgrade, lines, connections } = await supervise('silent, takes nothing', { pingEveryMs: 50 });
  const { socket } = upgrade();
  await expect.poll(() => lines('another one is started')).toBeGreaterThan(1);
  expect(await connections()).toBe(1);
  socket.destroy();
});
