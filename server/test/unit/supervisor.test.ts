import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { proxyList } from '@session-launch/process/client-address';
import { until } from '@session-launch/testing/fleet.ts';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { type SupervisorDeps, superviseRuntime } from '../../src/runtimes/supervisor.ts';

const { execPath } = process;
afterEach(() => {
  process.execPath = execPath;
});

const standIn = fileURLToPath(new URL('../harness/stand-in-runtime.mjs', import.meta.url));

/** Starts a supervisor with a fake runtime behind a listener. */
async function supervise(behaviour: string, more: Partial<SupervisorDeps> = {}) {
  const lines: string[] = [];
  const supervisor = superviseRuntime({
    log: pino({ base: null }, { write: (line: string) => lines.push(line) }),
    env: { BEHAVIOUR: behaviour },
    stopMs: 1000,
    maxUpgrades: 16,
    maxSessions: 50,
    trustProxy: undefined,
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
    server,
    lines: (text: string) => lines.filter((line) => line.includes(text)).length,
    connections: () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    /** The process id in the metrics of the runtime. */
    runtimePid: () =>
      until('the metrics of the runtime', async () => {
        const [, pid] = /^pid (\d+)/.exec(await supervisor.metrics()) ?? [];
        return pid !== undefined && Number(pid);
      }),
    loaded: () => lines.filter((line) => line.includes('stand-in loaded')).length,
    count: (outcome: string) => supervisor.status().upgrades[outcome],
    upgrade: ({ early = '', from }: { early?: string; from?: string } = {}) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.write(
        `GET /runtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${from ? `X-Forwarded-For: ${from}\r\n` : ''}\r\n${early}`,
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

test('a runtime that cannot be started is retried, and does not delay a shutdown', async () => {
  process.execPath = '/nowhere/node';
  const { lines, metrics } = await supervise('sound');
  await expect.poll(() => lines('could not be started')).toBeGreaterThan(2);
  expect(await metrics()).toBe('');
});

test('a runtime that answers no pings is killed and replaced', async () => {
  const { lines, runtimePid } = await supervise('silent', { pingEveryMs: 50 });
  const first = await runtimePid();
  await expect.poll(() => lines('does not respond')).toBeGreaterThan(0);
  await expect.poll(runtimePid).not.toBe(first);
});

test('a runtime that leaves pings unanswered gets a spare before it is killed', async () => {
  // With the default interval, a busy machine has seven seconds to start the spare.
  const { loaded, lines } = await supervise('silent');
  // The first runtime, which does not respond, and its spare.
  await expect.poll(loaded).toBe(2);
  expect(lines('does not respond')).toBe(0);
});

test('a runtime that never becomes ready is killed and replaced', async () => {
  const { lines } = await supervise('never ready', { pingEveryMs: 5 });
  await expect.poll(() => lines('another one is started')).toBeGreaterThan(1);
  expect(lines('does not respond')).toBeGreaterThan(1);
});

test('a service whose own event loop is blocked kills no runtime', async () => {
  const { lines, runtimePid } = await supervise('sound', { pingEveryMs: 200 });
  const first = await runtimePid();
  blockEventLoop(2500);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await runtimePid()).toBe(first);
  expect(lines('does not respond')).toBe(0);
});

test('upgrades beyond the limit get 503 with Retry-After, and their sockets are closed even if the client keeps its side open', async () => {
  const { upgrade, connections, count } = await supervise('never ready', {
    trustProxy: proxyList('127.0.0.1'),
  });
  const waiting = Array.from({ length: 16 }, (_, i) => upgrade({ from: `10.0.0.${i}` }));
  await expect.poll(connections).toBe(16);
  const refused = Array.from({ length: 20 }, (_, i) => upgrade({ from: `10.0.1.${i}` }));
  for (const { ended } of refused)
    expect(await ended).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n/);
  await expect.poll(connections).toBe(16);
  expect(count('refused_full')).toBe(20);
  for (const { socket } of [...waiting, ...refused]) socket.destroy();
});

test('one client network may have a quarter of the waiting sockets: further ones get 429, and other networks are served', async () => {
  const { upgrade, connections, count } = await supervise('never ready', {
    trustProxy: proxyList('127.0.0.1'),
  });
  const waiting = Array.from({ length: 4 }, (_, i) => upgrade({ from: `2001:db8::${i}` }));
  await expect.poll(connections).toBe(4);
  const { ended } = upgrade({ from: '2001:db8:0:0:ffff::1' });
  expect(await ended).toMatch(/^HTTP\/1\.1 429 [\s\S]*\r\nRetry-After: 1\r\n/);
  expect(count('refused_limit')).toBe(1);
  const other = upgrade({ from: '2001:db8:0:1::1' });
  await expect.poll(connections).toBe(5);
  for (const { socket } of [...waiting, other]) socket.destroy();
});

test('one client network may send 120 upgrades in ten seconds, and all refused ones share one log line', async () => {
  const { upgrade, count, lines, runtimePid } = await supervise('sound', { maxUpgrades: 1000 });
  await runtimePid();
  const answers: string[] = [];
  const refused: string[] = [];
  // As time passes, more are accepted.
  while (refused.length < 50 && answers.length < 2000) {
    const group = await Promise.all(Array.from({ length: 50 }, () => upgrade().ended));
    answers.push(...group);
    refused.push(...group.filter((answer) => answer.startsWith('HTTP/1.1 429 ')));
  }
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(120);
  expect(refused.length).toBeGreaterThanOrEqual(50);
  expect(count('refused_limit')).toBe(refused.length);
  expect(count('handed_over')).toBe(answers.length - refused.length);
  expect(lines('upgrade handed over')).toBe(answers.length - refused.length);
  expect(lines('exceeds its limit of upgrades')).toBeLessThan(refused.length / 2 + 2);
});

test('a class of 50 behind one address can connect at once', async () => {
  const { upgrade, count } = await supervise('sound', { maxUpgrades: 256 });
  const sockets = Array.from({ length: 50 }, () => upgrade());
  for (const { ended } of sockets) expect(await ended).toMatch(/^HTTP\/1\.1 101 /);
  expect(count('handed_over')).toBe(50);
});

test('the client network of an upgrade is sent to the runtime', async () => {
  const { upgrade } = await supervise('sound', { trustProxy: proxyList('127.0.0.1') });
  expect(await upgrade({ from: '203.0.113.9' }).ended).toContain('\r\nX-Client: 203.0.113.9\r\n');
  expect(await upgrade({ from: '2001:db8:1:2:3::4' }).ended).toContain('\r\nX-Client: 2001:db8:1:2::/64\r\n');
  expect(await upgrade().ended).toContain('\r\nX-Client: 127.0.0.1\r\n');
});

test('the state of the runtime and the causes of restarts are exported as metrics', async () => {
  const sound = await supervise('sound');
  expect(sound.status().state).toBe('starting');
  await expect.poll(() => sound.status().state).toBe('ready');
  process.kill(await sound.runtimePid(), 'SIGKILL');
  await expect.poll(() => sound.status().restarts).toEqual({ exit: 1, hung: 0, failed_start: 0 });
  await expect.poll(() => sound.status().state).toBe('ready');
  await sound.close();
  expect(sound.status().state).toBe('off');
  const silent = await supervise('silent', { pingEveryMs: 50 });
  await expect.poll(() => silent.status().restarts.hung).toBeGreaterThan(0);
});

test('a client that disconnects while it waits frees its slot', async () => {
  const { upgrade, connections, count } = await supervise('never ready');
  for (let round = 0; round < 5; round++) {
    const waiting = Array.from({ length: 4 }, () => upgrade());
    await expect.poll(connections).toBe(4);
    // Half of them close their side only, the others reset the connection.
    for (const [i, { socket }] of waiting.entries()) i % 2 ? socket.end() : socket.resetAndDestroy();
    await expect.poll(connections).toBe(0);
    for (const { socket } of waiting) socket.destroy();
  }
  expect(count('client_left')).toBe(20);
});

test('bytes sent before the socket is handed over reach the runtime', async () => {
  const { upgrade } = await supervise('sound');
  const { socket, ended } = upgrade({ early: 'early' });
  socket.write(' and later');
  expect(await ended).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nearly/);
  socket.destroy();
});

test('a socket that a killed runtime did not accept goes to the next runtime', async () => {
  const { upgrade, lines, connections } = await supervise('silent, takes nothing', { pingEveryMs: 50 });
  const { socket } = upgrade();
  await expect.poll(() => lines('another one is started')).toBeGreaterThan(1);
  expect(await connections()).toBe(1);
  socket.destroy();
});

/** Blocks this thread and the event loop of the service; other processes continue. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a socket that the runtime has taken gets nothing from a service that was blocked past the deadline', async () => {
  const { server, upgrade, runtimePid, count } = await supervise('sound, keeps sockets', { handOverMs: 500 });
  await runtimePid();
  // Runs after the socket is sent.
  server.once('upgrade', () => blockEventLoop(2000));
  expect(await upgrade().ended).toMatch(/^HTTP\/1\.1 101 (?![\s\S]*503)/);
  expect([count('handed_over'), count('timed_out')]).toEqual([1, 0]);
});

test('a socket that the runtime takes after the deadline gets no response from the service', async () => {
  const { upgrade, runtimePid, count, connections } = await supervise('sound, takes late', {
    handOverMs: 200,
  });
  await runtimePid();
  const { ended } = upgrade();
  await expect.poll(() => count('timed_out')).toBe(1);
  await expect.poll(connections).toBe(0);
  expect(await ended).toMatch(/^HTTP\/1\.1 101 /);
  expect(count('handed_over')).toBe(0);
});
