import type { Socket } from 'node:net';
import { bounds } from '@session-launch/contract/runtime/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Connection } from '../../src/sockets/connection.ts';
import { FakeClock, settled } from '../harness/fake-clock.ts';
import { SilentSocket } from '../harness/silent-socket.ts';
import { startWorld, type World } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

test('unknown types are ignored, invalid fields are rejected without closing, and errors quote no user text', async () => {
  const client = await world.join({ mind: harbor });
  client.send({ type: 'dance', step: 1 });
  client.send({ type: 'text', id: 'a', text: { secret: 'planted words' } });
  client.send({ type: 'played', utterance: -1, ms: 5 });
  client.send('[1,2,3]');
  const error = await client.event('error', ({ re }) => re === 'none');
  expect(error.fatal).toBe(false);
  expect(
    client.events.filter(({ type }) => type === 'error').map((event) => (event as { re?: string }).re),
  ).toEqual(['text', 'played', 'none']);
  expect(JSON.stringify(client.events)).not.toContain('planted');
  expect(await client.ask('ferry')).toBe('At every full hour.');
});

test('a text frame that is not JSON closes with 4400; the session can be resumed', async () => {
  const client = await world.join({ mind: harbor });
  const { resumeTicket } = await client.event('ready');
  client.send('{');
  expect((await client.closed).code).toBe(4400);
  const again = await world.client();
  again.hello({ resume: { ticket: resumeTicket, lastSeq: 0 } });
  expect(await again.event('ready')).toMatchObject({ resumed: true, sessionId: client.sessionId });
  await again.event('error', ({ fatal, code }) => fatal && code === 'PROTOCOL');
});

test('a frame of more than 64 KiB closes with 1009', async () => {
  const client = await world.join();
  client.send({ type: 'text', id: 'a', text: 'x'.repeat(70_000) });
  expect((await client.closed).code).toBe(1009);
});

test('more than ten texts in ten seconds close with 4429', async () => {
  const client = await world.join({ mind: harbor });
  for (let i = 0; i < 11; i++) client.send({ type: 'text', id: `m${i}`, text: 'ferry' });
  expect((await client.closed).code).toBe(4429);
});

test('a client that closes normally ends its session', async () => {
  const client = await world.join({ mind: harbor });
  client.ws.close(1000);
  await client.closed;
  await expect.poll(() => world.runtime.sessions).toBe(0);
  await world.runtime.drain(0);
  expect(world.service.reports.at(-1)!.sessions).toMatchObject([
    { sessionId: client.sessionId, ended: 'client_ended' },
  ]);
});

/** A connection to a silent peer, and the causes for which it was destroyed. */
function silentPeer() {
  const clock = new FakeClock();
  const socket = new SilentSocket();
  const connection = new Connection(socket as unknown as WebSocket, socket, clock);
  const causes: string[] = [];
  const cut = (cause: string) => void causes.push(cause);
  connection.listen({ text: () => {}, audio: () => {}, closed: () => {}, cut });
  return { clock, socket, connection, causes };
}

test('a client that misses two pings is lost', async () => {
  const { clock, socket, connection, causes } = silentPeer();
  await clock.pass(15_000);
  expect(socket.pings).toBe(1);
  socket.emit('pong');
  await clock.pass(30_000);
  expect([socket.pings, socket.isTerminated]).toEqual([3, false]);
  await clock.pass(15_000);
  expect(socket.isTerminated).toBe(true);
  expect(connection.isClosed).toBe(true);
  expect(causes).toEqual(['missed_pings']);
  expect(clock.pending).toBe(0);
});

test('a peer that reads nothing for ten seconds is cut off; a slow one is not', async () => {
  const { clock, socket, connection, causes } = silentPeer();
  connection.sendText('x'.repeat(1000));
  socket.bufferedAmount = 1000;
  for (let i = 0; i < 3; i++) {
    await clock.pass(7500);
    socket.bufferedAmount -= 100;
    socket.emit('pong');
  }
  expect(socket.isTerminated).toBe(false);
  await clock.pass(15_000);
  await settled();
  expect(causes).toEqual(['not_reading']);
});

test('time in which the runtime itself is blocked does not count as time in which a peer reads nothing', async () => {
  const { clock, socket, connection } = silentPeer();
  connection.sendText('x'.repeat(1000));
  socket.bufferedAmount = 1004;
  clock.stall(30_000);
  await clock.pass(5000);
  expect(socket.isTerminated).toBe(false);
  await clock.pass(2500);
  expect(socket.isTerminated).toBe(true);
});

test('a destroyed connection is logged with its session and the cause', async () => {
  const clock = new FakeClock();
  const slow = await startWorld({ clock });
  const client = await slow.join({ mind: harbor });
  client.ws.pause();
  await clock.pass(45_000);
  const lines = slow.log.map((line) => JSON.parse(line)).filter(({ cause }) => cause !== undefined);
  expect(lines).toMatchObject([{ level: 30, sessionId: client.sessionId, cause: 'missed_pings' }]);
  await slow.close();
});

test('a peer that reads nothing is cut off, however much is queued for it', async () => {
  const { clock, socket, connection } = silentPeer();
  for (let i = 0; i < 13 && !socket.isTerminated; i++) {
    connection.sendText('x'.repeat(200));
    // Includes the frame header, as `bufferedAmount` of a real socket does.
    socket.bufferedAmount += 204;
    socket.emit('pong');
    await clock.pass(1000);
  }
  expect(socket.isTerminated).toBe(true);
});

test.each<[string, (connection: Connection, socket: SilentSocket) => void]>([
  ['text', (connection) => connection.sendText('one more')],
  ['audio', (connection) => connection.sendAudio(new Uint8Array(8))],
  ['a pong', (_, socket) => socket.emit('ping', Buffer.from('one more'))],
])('a peer that leaves more than 4 MiB unread is cut off when it is sent %s', (_, send) => {
  const { clock, socket, connection, causes } = silentPeer();
  socket.bufferedAmount = bounds.unsentBytes;
  send(connection, socket);
  expect(socket.isTerminated).toBe(false);
  socket.bufferedAmount++;
  send(connection, socket);
  expect(socket.isTerminated).toBe(true);
  expect(causes).toEqual(['unsent']);
  expect(clock.pending).toBe(0);
});

test('a peer that keeps sending after a refusal is cut off', async () => {
  // The fake clock does not advance, so the close timeout never expires.
  const still = await startWorld({ clock: new FakeClock() });
  const client = await still.join({ mind: harbor });
  const { _socket: wire } = client.ws as unknown as { _socket: Socket };
  // An empty, masked ping frame.
  const pings = Buffer.from('898000000000'.repeat(5000), 'hex');
  // The client never answers the close frame.
  client.ws.close = () => {};
  const cut = new Promise((resolve) => wire.once('close', resolve));
  wire.on('error', () => {});
  for (let i = 0; i < 5; i++) wire.write(pings);
  await cut;
  await still.close();
});

test('messages sent together with hello are handled after it', async () => {
  const { token } = world.service.mint({ mind: harbor });
  const client = await world.client();
  const { _socket: wire } = client.ws as unknown as { _socket: Socket };
  wire.cork();
  client.hello({ token });
  client.send({ type: 'ping', t: 7 });
  wire.uncork();
  expect(await client.event('pong')).toMatchObject({ t: 7 });
});
