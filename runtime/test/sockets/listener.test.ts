import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { proxyList } from '@session-launch/process/client-address';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Runtime, UpgradeRequest } from '../../src/runtime.ts';
import { listenStandalone } from '../../src/standalone.ts';

const token = 'token-of-the-runtime';

/** Starts a listener and records its upgrade requests. */
async function listen({ proxies, fails = false }: { proxies?: string; fails?: boolean } = {}) {
  const upgrades: UpgradeRequest[] = [];
  const runtime: Runtime = {
    runtimeId: 'rt_test',
    sessions: 0,
    drain: async () => {},
    hearing: () => 'page',
    metrics: async () => {
      if (fails) throw new Error('no metrics');
      return 'metrics of the runtime';
    },
    upgrade: (request, socket) => {
      upgrades.push(request);
      socket.destroy();
    },
  };
  const trustProxy = proxies === undefined ? undefined : proxyList(proxies);
  const config = { host: '127.0.0.1', port: 0, token, maxSessions: 1, trustProxy };
  const { url, close } = await listenStandalone(config, runtime, () => true);
  onTestFinished(close);
  return { url: new URL(url.replace('ws:', 'http:')), upgrades };
}

/** Sends a WebSocket upgrade request and keeps the client's side of the connection open. */
function upgrade({ port }: URL, path: string, headers: string[] = []): Socket {
  const socket = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const lines = [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: Upgrade', 'Upgrade: websocket', ...headers];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

test('upgrades are accepted only at /runtime; elsewhere they get 404, and the socket is closed', async () => {
  const { url, upgrades } = await listen();
  const socket = upgrade(url, '/elsewhere');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await once(socket, 'end');
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  // Writing fails if the peer has closed the socket completely, and succeeds if it is half-closed.
  const failed = new Promise((resolve) => socket.once('close', resolve));
  const writing = setInterval(() => socket.write('still here'), 10);
  await failed;
  clearInterval(writing);
  expect(upgrades).toEqual([]);
  upgrade(url, '/runtime?x=1');
  await expect.poll(() => upgrades.length).toBe(1);
});

test('the client network is that of the socket, or the one forwarded by a trusted proxy', async () => {
  const plain = await listen();
  upgrade(plain.url, '/runtime', ['X-Forwarded-For: 203.0.113.9']);
  await expect.poll(() => plain.upgrades.map(({ client }) => client)).toEqual(['127.0.0.1']);
  const proxied = await listen({ proxies: '127.0.0.0/8' });
  upgrade(proxied.url, '/runtime', ['X-Forwarded-For: 2001:db8:1:2:3::4']);
  await expect.poll(() => proxied.upgrades.map(({ client }) => client)).toEqual(['2001:db8:1:2::/64']);
});

test('TRUST_PROXY is parsed, and an invalid value is named', () => {
  const env = { RUNTIME_TOKEN: token, TRUST_PROXY: '10.0.0.0/8, ::1' };
  expect(readConfig(env, '/').trustProxy?.check('10.1.2.3')).toBe(true);
  expect(readConfig({ RUNTIME_TOKEN: token }, '/').trustProxy).toBeUndefined();
  expect(() => readConfig({ ...env, TRUST_PROXY: 'proxy' }, '/')).toThrow('TRUST_PROXY must be');
});

test('metrics require the whole token; an error while collecting them closes only that connection', async () => {
  const { url } = await listen();
  const read = (authorization?: string) =>
    fetch(new URL('/metrics', url), { headers: authorization === undefined ? {} : { authorization } });
  for (const wrong of [undefined, '', token, `Bearer ${token.slice(1)}`, `Bearer ${token}x`])
    expect((await read(wrong)).status, wrong).toBe(401);
  expect(await (await read(`Bearer ${token}`)).text()).toBe('metrics of the runtime');
  const failing = await listen({ fails: true });
  await expect(
    fetch(new URL('/metrics', failing.url), { headers: { authorization: `Bearer ${token}` } }),
  ).rejects.toThrow();
  expect((await fetch(new URL('/healthz', failing.url))).status).toBe(200);
});

test('connections are limited by the number of sessions of the runtime', async () => {
  const { url } = await listen();
  const sockets = Array.from({ length: 220 }, () => connect(Number(url.port), '127.0.0.1'));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const closed = new Set<Socket>();
  for (const socket of sockets) socket.on('error', () => {}).once('close', () => closed.add(socket));
  await expect.poll(() => closed.size).toBe(18);
});
