import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeClock, settled } from '../harness/fake-clock.ts';
import { startWorld, type World } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld({ maxSessions: 3 });
});
afterEach(() => world.close());

test('a token opens a session', async () => {
  const client = await world.join({ mind: harbor });
  const ready = await client.event('ready');
  expect(ready).toMatchObject({
    protocol: 1,
    sessionId: client.sessionId,
    resumed: false,
    audio: {
      input: { format: 'pcm16', sampleRate: 16_000 },
      output: { format: 'pcm16', sampleRate: 16_000 },
    },
    engines: {
      mind: { kind: 'script', name: 'script' },
      speech: { kind: 'server', name: 'instant' },
      hearing: { kind: 'none' },
    },
    limits: { maxSeconds: 900, idleSeconds: 120, heartbeatSeconds: 15 },
  });
  expect(ready.resumeTicket.startsWith(`${world.runtime.runtimeId}.`)).toBe(true);
  expect(client.ws.protocol).toBe('session.v1');
  expect(await client.ask('When do the ferries leave?')).toBe('At every full hour.');
  client.send({ type: 'bye' });
  expect(await client.closed).toEqual({ code: 1000, reason: 'client_ended' });
  expect(client.events.at(-1)).toMatchObject({ type: 'ended', reason: 'client_ended' });
});

test.each<[string, number, string, [number, string]]>([
  ['that is invalid', 4401, 'TOKEN_INVALID', [401, 'SESSION_TOKEN_INVALID']],
  ['of an ended session', 4410, 'SESSION_ENDED', [410, 'SESSION_ENDED']],
  ['of a project with too many sessions', 4431, 'TOO_MANY_SESSIONS', [429, 'CONCURRENCY_LIMIT']],
  ['that the service cannot check', 1011, 'FAULT', [503, 'UNAVAILABLE']],
])('a token %s is refused with %i', async (_what, code, error, refusal) => {
  const client = await world.client();
  client.hello({ token: world.service.mint({ refusal }).token });
  expect(await client.closed).toEqual({ code, reason: error });
  expect(client.events).toEqual([
    { type: 'error', seq: 1, code: error, message: expect.any(String), fatal: true },
  ]);
});

test.each([['nonsense'], ['a.b.c'], [`x.${Buffer.from('{}').toString('base64url')}.x`]])(
  'an invalid token is refused with 4401 (%s)',
  async (token) => {
    const client = await world.client();
    client.hello({ token });
    expect((await client.closed).code).toBe(4401);
  },
);

test('of twenty sockets with one token, one becomes ready and nineteen get 4409', async () => {
  const crowd = await startWorld();
  const { token } = crowd.service.mint();
  const clients = await Promise.all(Array.from({ length: 20 }, () => crowd.client()));
  for (const client of clients) client.hello({ token });
  const outcomes = await Promise.all(
    clients.map((client) =>
      Promise.race([
        client
          .event('ready')
          .then(() => 'ready')
          .catch(() => 'closed'),
        client.closed.then(({ code }) => code),
      ]),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'ready').length).toBe(1);
  const codes = await Promise.all(
    clients.filter((client) => !client.story.includes('ready')).map(({ closed }) => closed),
  );
  expect(codes.map(({ code }) => code)).toEqual(Array(19).fill(4409));
  await crowd.close();
});

test('a page of another origin than the token’s is refused with 4403', async () => {
  const { token } = world.service.mint({ origin: 'https://www.example.com' });
  for (const options of [{}, { origin: 'https://example.com' }]) {
    const stranger = await world.client(options);
    stranger.hello({ token });
    expect((await stranger.closed).code).toBe(4403);
  }
  const page = await world.client({ origin: 'https://www.example.com' });
  page.hello({ token });
  await page.event('ready');
});

test.each<[string, string | Buffer]>([
  ['not JSON', 'hello'],
  ['another message', '{"type":"text","id":"a","text":"hi"}'],
  ['another protocol', '{"type":"hello","protocol":2,"client":{"name":"a","version":"1"},"token":"x"}'],
  ['without a client', '{"type":"hello","protocol":1,"token":"x"}'],
  ['without token and ticket', '{"type":"hello","protocol":1,"client":{"name":"a","version":"1"}}'],
  ['sound', Buffer.alloc(20)],
])('a first message that is %s is refused with 4400', async (_what, first) => {
  const client = await world.client();
  client.ws.send(first);
  expect((await client.closed).code).toBe(4400);
});

test('a client that does not request session.v1 is refused with 4400', async () => {
  const client = await world.client({ protocols: [] });
  expect((await client.closed).code).toBe(4400);
});

test('a hello of more than 8 KiB is refused with 1009', async () => {
  const client = await world.client();
  client.hello({ token: 'x', padding: 'x'.repeat(9000) });
  expect((await client.closed).code).toBe(1009);
});

test('a client without hello within five seconds is closed with 4408', async () => {
  const clock = new FakeClock();
  const slow = await startWorld({ clock });
  const client = await slow.client();
  await settled();
  await clock.pass(4900);
  expect(client.ws.readyState).toBe(client.ws.OPEN);
  await clock.pass(200);
  expect((await client.closed).code).toBe(4408);
  await slow.close();
});

test('a client beyond the capacity of the runtime gets 1013, and an ended session frees a slot', async () => {
  const [first] = await Promise.all([world.join(), world.join(), world.join()]);
  const { token } = world.service.mint();
  const late = await world.client();
  late.hello({ token });
  expect((await late.closed).code).toBe(1013);
  first!.send({ type: 'bye' });
  await first!.closed;
  const again = await world.client();
  again.hello({ token });
  await again.event('ready');
});

test('on shutdown running sessions get a notice and end, and new clients get 1001', async () => {
  const client = await world.join({ mind: { greeting: { en: 'Hello.' } } });
  await client.event('mode', ({ mode }) => mode === 'listening');
  const drained = world.runtime.drain(5);
  expect((await client.closed).code).toBe(1001);
  expect(client.events.slice(-2)).toMatchObject([
    { type: 'notice', code: 'RESTARTING' },
    { type: 'ended', reason: 'server_shutdown' },
  ]);
  await drained;
  const late = await world.client();
  expect((await late.closed).code).toBe(1001);
});
