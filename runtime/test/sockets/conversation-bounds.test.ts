import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { scriptedHearing } from '../harness/engines.ts';
import { FakeClock } from '../harness/fake-clock.ts';
import { sendAudio } from '../harness/user-audio.ts';
import { startWorld, type World } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';

/** Rate windows belong to the conversation and survive a resume; the fake clock keeps them open. */
let clock: FakeClock;
let world: World;
let hearing: ReturnType<typeof scriptedHearing>;
let bystander: Client;
beforeEach(async () => {
  clock = new FakeClock();
  hearing = scriptedHearing([]);
  world = await startWorld({ clock, engines: { hearing } });
  bystander = await world.join({ mind: harbor });
});
afterEach(async () => {
  // After each test, another client is still connected and gets responses.
  await bystander.handled();
  expect(bystander.story).not.toContain('error');
  await world.close();
});

const closeCode = async ({ closed }: Client) => (await closed).code;

/** Resumes the session on a new connection. */
async function resume(client: Client, options = {}): Promise<Client> {
  const { resumeTicket } = await client.event('ready');
  const again = await world.client(options);
  again.hello({ resume: { ticket: resumeTicket, lastSeq: 0 } });
  return again;
}

test('more than ten texts in ten seconds over several connections close with 4429', async () => {
  let client: Client = await world.join({ mind: harbor });
  for (let connection = 0; connection < 3; connection++) {
    if (connection > 0) client = await resume(client);
    await client.event('ready');
    for (let i = 0; i < (connection === 2 ? 3 : 4); i++)
      client.send({ type: 'text', id: `${connection}.${i}`, text: 'ferry' });
  }
  expect(await closeCode(client)).toBe(4429);
  expect(client.events.at(-1)).toMatchObject({ type: 'error', code: 'TOO_FAST', fatal: true });
  await clock.pass(10_000);
  const again = await resume(client);
  again.send({ type: 'text', id: 'later', text: 'tide' });
  await again.event('message', ({ id }) => id === 'later');
});

test('more than a hundred frames in a second over several connections close with 4429', async () => {
  const client = await world.join({ mind: harbor });
  for (let i = 0; i < 60; i++) client.send({ type: 'ping', t: i });
  await client.event('pong', ({ t }) => t === 59);
  const again = await resume(client);
  await again.event('ready');
  for (let i = 0; i < 60; i++) again.send({ type: 'ping', t: i });
  expect(await closeCode(again)).toBe(4429);
});

function pings(client: Client, count: number): void {
  for (let t = 0; t < count; t++) client.send({ type: 'ping', t });
}

test('frames that a stall has delayed are accepted: ten seconds of audio and of `played`', async () => {
  const client = await world.join({ mind: harbor, plays: false });
  await clock.pass(10_000);
  sendAudio(client, 250);
  for (let ms = 0; ms < 10_000; ms += 100) client.send({ type: 'played', utterance: 1, ms });
  await client.handled();
});

test('unused frames accrue while a client is connected, up to 400, and up to 100 over a resume', async () => {
  const client = await world.join({ mind: harbor, plays: false });
  await clock.pass(20_000);
  pings(client, 399);
  await client.handled();
  pings(client, 1);
  expect(await closeCode(client)).toBe(4429);
  await clock.pass(20_000);
  const again = await resume(client, { plays: false });
  await again.event('ready');
  pings(again, 99);
  await again.handled();
  pings(again, 1);
  expect(await closeCode(again)).toBe(4429);
});

test('frames in the same packet as a resume are counted', async () => {
  let client: Client = await world.join({ mind: harbor });
  let answered = 0;
  for (let i = 0; i < 4; i++) {
    const { resumeTicket } = await client.event('ready');
    client = await world.client();
    const { _socket: wire } = client.ws as unknown as { _socket: { cork(): void; uncork(): void } };
    wire.cork();
    client.hello({ resume: { ticket: resumeTicket, lastSeq: 0 } });
    for (let t = 0; t < 40; t++) client.send({ type: 'ping', t });
    wire.uncork();
    await Promise.race([client.event('pong', ({ t }) => t === 39).catch(() => {}), client.closed]);
    answered += client.events.filter(({ type }) => type === 'pong').length;
  }
  expect(answered).toBeLessThanOrEqual(100);
});

test('more than five resumes in ten seconds close with 4429, and the ticket stays valid', async () => {
  let client: Client = await world.join({ mind: harbor });
  for (let i = 0; i < 5; i++) {
    client = await resume(client);
    await client.event('ready');
  }
  expect(await closeCode(await resume(client))).toBe(4429);
  // The rejected connection has not replaced the previous one.
  await client.handled();
  await clock.pass(10_000);
  await (await resume(client)).event('ready');
});

test('a resume ticket used from another origin is refused with 4403', async () => {
  const origin = 'https://www.example.com';
  const client = await world.client({ origin });
  client.hello({ token: world.service.mint({ origin, mind: harbor }).token });
  await client.event('ready');
  for (const options of [{}, { origin: 'https://example.com' }]) {
    const thief = await resume(client, options);
    expect(await closeCode(thief)).toBe(4403);
    expect(thief.events).toMatchObject([{ type: 'error', code: 'ORIGIN_DIFFERS', fatal: true }]);
  }
  await client.handled();
  await (await resume(client, { origin })).event('ready');
});

test.each(['ping', 'pong'] as const)(
  'more than a hundred %s frames in a second close with 4429',
  async (kind) => {
    const client = await world.join({ mind: harbor });
    let pongs = 0;
    client.ws.on('pong', () => pongs++);
    for (let i = 0; i < 2000; i++) client.ws[kind]();
    expect(await closeCode(client)).toBe(4429);
    expect(pongs).toBeLessThanOrEqual(100);
  },
);

test('a ping frame is answered with its payload', async () => {
  const client = await world.join({ mind: harbor });
  const pong = new Promise<string>((resolve) => client.ws.once('pong', (data) => resolve(data.toString())));
  client.ws.ping('payload');
  expect(await pong).toBe('payload');
});

test('a message of more than 16 fragments closes with 1008', async () => {
  const client = await world.join({ mind: harbor });
  const text = '{"type":"ping","t":1}';
  for (const part of text) client.ws.send(part, { fin: part === '}', binary: false });
  expect(await closeCode(client)).toBe(1008);
  const again = await resume(client);
  again.ws.send(text.slice(0, 9), { fin: false, binary: false });
  again.ws.send(text.slice(9), { fin: true, binary: false });
  await again.event('pong', ({ t }) => t === 1);
});

describe('audio', () => {
  test('of more than real time plus two seconds closes with 4429', async () => {
    const client = await world.join({ mind: harbor });
    sendAudio(client, 50);
    await client.handled();
    await clock.pass(1000);
    sendAudio(client, 25);
    await client.handled();
    sendAudio(client, 1);
    expect(await closeCode(client)).toBe(4429);
  });

  test('is also counted in a session that does not accept speech', async () => {
    const client = await world.join({ mind: harbor, speechInputMode: 'off' });
    sendAudio(client, 51);
    expect(await closeCode(client)).toBe(4429);
  });

  test('is counted over several connections', async () => {
    const client = await world.join({ mind: harbor });
    sendAudio(client, 40);
    await client.handled();
    const again = await resume(client);
    await again.event('ready');
    sendAudio(again, 11);
    expect(await closeCode(again)).toBe(4429);
  });

  test('delayed by the network is accepted, up to two seconds of it after a disconnection', async () => {
    const client = await world.join({ mind: harbor });
    await clock.pass(5000);
    sendAudio(client, 80);
    await client.handled();
    await clock.pass(2000);
    client.ws.terminate();
    await clock.pass(8000);
    const again = await resume(client);
    await again.event('ready');
    sendAudio(again, 50);
    await again.handled();
    sendAudio(again, 1);
    expect(await closeCode(again)).toBe(4429);
  });

  test('in frames of more than 100 ms is rejected, and the session continues', async () => {
    const client = await world.join({ mind: harbor });
    sendAudio(client, 1, { ms: 101 });
    sendAudio(client, 1, { ms: 100 });
    await client.handled();
    const errors = client.events.filter(({ type }) => type === 'error');
    expect(errors).toMatchObject([{ code: 'INVALID_MESSAGE', re: 'audio', fatal: false }]);
  });
});
