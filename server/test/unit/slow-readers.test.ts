import { once } from 'node:events';
import { connect } from 'node:net';
import pino from 'pino';
import { expect, test } from 'vitest';
import { boundConnections, connectionsWithin, descriptorLimit } from '../../src/http/listener/connections.ts';
import { createServer } from '../../src/http/listener/server.ts';

const silent = pino({ level: 'silent' });

test('a response that is not read is aborted after a minute', async () => {
  const app = createServer(silent);
  app.get('/endless', async (_request, reply) => reply.send(Buffer.alloc(50_000_000)));
  const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  expect(app.server.timeout).toBe(60_000);
  // Shortens the timeout of one minute; the behaviour is the same.
  app.server.setTimeout(300);
  const socket = connect(Number(url.port), url.hostname).on('error', () => undefined);
  socket.pause().write('GET /endless HTTP/1.1\r\nHost: service\r\n\r\n');
  const [connection] = await once(app.server, 'connection');
  await once(connection, 'close');
  socket.destroy();
  await app.close();
});

test.each([
  [1_024, 512],
  [20_000, 19_488],
  [65_536, 65_024],
  // The full reserve would leave too few: clients get a quarter of the limit.
  [600, 150],
])('of %i descriptors, clients may use %i', (descriptors, connections) => {
  expect(connectionsWithin(descriptors)).toBe(connections);
});

test('the descriptor limit of this process is known', () => {
  expect(descriptorLimit()).toBeGreaterThan(100);
});

test('connections beyond the limit are closed, and those within it are served', async () => {
  const warnings: string[] = [];
  const app = createServer(pino({}, { write: (line) => void warnings.push(line) }));
  app.get('/here', async () => 'yes');
  boundConnections(app.server, 3, app.log as pino.Logger);
  const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const open = () => connect(Number(url.port), url.hostname).on('error', () => undefined);
  const within = [open(), open(), open()];
  await Promise.all(within.map((socket) => once(socket, 'connect')));
  for (let i = 0; i < 5; i++) await once(open(), 'close');
  within[0]?.write('GET /here HTTP/1.1\r\nHost: service\r\n\r\n');
  const [answer] = await once(within[0]!, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200/);
  const said = warnings.map((line) => JSON.parse(line)).filter(({ msg }) => /refused/.test(msg));
  expect(said).toMatchObject([{ connections: 3 }]);
  for (const socket of within) socket.destroy();
  await app.close();
});
