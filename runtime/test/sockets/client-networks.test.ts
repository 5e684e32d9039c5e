import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { FakeClock } from '../harness/fake-clock.ts';
import { startWorld, type World } from '../harness/world.ts';

const [attacker, visitor, neighbour] = ['203.0.113.1', '203.0.113.2', '203.0.113.3'];
const origin = 'https://www.example.com';

let world: World;
beforeEach(async () => {
  // The fake clock does not advance, so no socket reaches the timeout for its `hello`.
  world = await startWorld({ clock: new FakeClock(), maxSessions: 10 });
});
afterEach(() => world.close());

const enters = async (client: Client, token = world.service.mint().token) => {
  client.hello({ token });
  return Promise.race([client.event('ready').then(() => 'ready' as const), closeCode(client)]);
};
const closeCode = async ({ closed }: Client) => (await closed).code;
/** Concurrently opens sockets that send nothing. */
const flood = (count: number, address: string) =>
  Promise.all(Array.from({ length: count }, () => world.client({ address })));
/** Connects from an address with a token of a browser session; returns `ready` or the close code. */
const visits = async (address: string, token = world.service.mint({ origin }).token) =>
  enters(await world.client({ address, origin }), token);

test('a flood of sockets without hello from one network does not affect clients of other networks', async () => {
  const early = await world.client({ address: visitor });
  const silent = await flood(300, attacker);
  const late = await world.client({ address: neighbour });
  expect(await Promise.all([early, late].map((client) => enters(client)))).toEqual(['ready', 'ready']);
  const isOpen = ({ ws }: Client) => ws.readyState === ws.OPEN;
  await expect.poll(() => silent.filter(isOpen).length).toBe(100);
});

test('a network with too many sockets without hello loses the oldest ones with 1013', async () => {
  const oldest = await flood(10, attacker);
  const [youngest] = await flood(100, attacker);
  expect(await Promise.all(oldest.map(closeCode))).toEqual(Array(10).fill(1013));
  expect(await enters(youngest!)).toBe('ready');
});

test('many networks together do not keep out a client of another one', async () => {
  const early = await world.client({ address: visitor });
  for (let host = 10; host < 20; host++) await flood(30, `127.0.1.${host}`);
  expect(await visits(neighbour)).toBe('ready');
  expect(await enters(early)).toBe('ready');
});

test('sockets that have sent hello or are closed no longer count', async () => {
  const gone = await flood(90, attacker);
  for (const { ws } of gone) ws.terminate();
  const entered = await flood(5, attacker);
  expect(await Promise.all(entered.map((client) => enters(client)))).toEqual(Array(5).fill('ready'));
  const early = await world.client({ address: attacker });
  await flood(99, attacker);
  expect(await enters(early)).toBe('ready');
});

test('refused sockets whose peers do not close are destroyed: at most 200 are kept', async () => {
  const open = new Set<Socket>();
  const { port } = new URL(world.listener.url);
  const request = [
    'GET /runtime HTTP/1.1',
    ...['Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'],
    ...['Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==', '', ''],
  ].join('\r\n');
  // Requests no subprotocol, is rejected, and never answers the close frame.
  for (let i = 0; i < 250; i++) {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
    open.add(socket.resume());
    socket.once('close', () => open.delete(socket)).on('error', () => {});
  }
  await expect.poll(() => open.size).toBe(200);
  for (const socket of open) socket.destroy();
});

test('once a runtime is 80 % full, a network with more than a fifth of its sessions gets no more', async () => {
  for (let i = 0; i < 8; i++) expect(await visits(attacker), `session ${i}`).toBe('ready');
  const { token } = world.service.mint({ origin });
  expect(await visits(attacker, token)).toBe(1013);
  // The rejection has not consumed the token.
  expect(await visits(visitor, token)).toBe('ready');
});

test('a tenth of the sessions is reserved for the server endpoint', async () => {
  for (let i = 0; i < 9; i++) await visits(`203.0.113.${i + 1}`);
  expect(await visits('203.0.113.20')).toBe(1013);
  const backend = await world.client({ address: attacker });
  expect(await enters(backend)).toBe('ready');
  expect(await enters(await world.client({ address: visitor }))).toBe(1013);
});

test('sessions of the server endpoint may fill the runtime from one network', async () => {
  const clients: Client[] = [];
  for (let i = 0; i < 10; i++) clients.push(await world.join({ address: attacker }));
  expect(await enters(await world.client({ address: attacker }))).toBe(1013);
  clients[0]!.send({ type: 'bye' });
  await clients[0]!.closed;
  expect(await enters(await world.client({ address: attacker }))).toBe('ready');
});

test('a session that the service refuses frees its slot', async () => {
  for (let i = 0; i < 12; i++) {
    const { token } = world.service.mint({ origin, refusal: [410, 'SESSION_ENDED'] });
    expect(await visits(attacker, token)).toBe(4410);
  }
  expect(await visits(attacker)).toBe('ready');
});

test('the service receives the client network of a session', async () => {
  await visits(neighbour);
  expect(world.service.connects).toMatchObject([{ client: neighbour, runtimeId: world.runtime.runtimeId }]);
});
