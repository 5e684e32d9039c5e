import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { startWorld, type World } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';

let world: World;
let client: Client;
let first: string;
beforeEach(async () => {
  world = await startWorld();
  client = await world.join({ mind: harbor, plays: false });
  first = (await client.event('ready')).resumeTicket;
});
afterEach(() => world.close());

async function resume(ticket: string): Promise<Client> {
  const again = await world.client({ plays: false });
  again.hello({ resume: { ticket, lastSeq: 0 } });
  return again;
}

const ticketOf = async (from: Client) => (await from.event('ready')).resumeTicket;
const closeCode = async ({ closed }: Client) => (await closed).code;

/** Resumes on a connection that is lost after the runtime has sent `ready`, but before the client reads it. */
async function resumeInVain(ticket: string, previous: Client, early: object[] = []): Promise<Client> {
  const cut = await world.client({ plays: false });
  const { _socket: wire } = cut.ws as unknown as { _socket: Socket };
  cut.ws.pause();
  wire.cork();
  cut.hello({ resume: { ticket, lastSeq: 0 } });
  for (const message of early) cut.send(message as Record<string, unknown>);
  wire.uncork();
  // The runtime has handled the resume when it closes the previous connection.
  expect(await closeCode(previous)).toBe(1001);
  return cut;
}

test('a ticket stays valid if the connection is lost before `ready` of the resume arrives', async () => {
  const cut = await resumeInVain(first, client);
  cut.ws.terminate();
  const again = await resume(first);
  expect(await again.event('ready')).toMatchObject({ resumed: true });
  await again.handled();
});

test('frames that are sent together with the resume do not invalidate the ticket', async () => {
  const cut = await resumeInVain(first, client, [{ type: 'text', id: 'early', text: 'tide' }]);
  cut.ws.terminate();
  const again = await resume(first);
  await again.event('message', ({ id }) => id === 'early');
});

test('a ticket is invalid once the client has sent a frame on the resumed connection', async () => {
  client.ws.terminate();
  const again = await resume(first);
  const second = await ticketOf(again);
  expect(second).not.toBe(first);
  await again.handled();
  for (const ticket of [first, 'rt_elsewhere.abc', second.slice(0, -1)])
    expect(await closeCode(await resume(ticket))).toBe(4410);
  await again.handled();
});

test('a ticket that the client has received stays valid if a delayed resume with the previous one follows', async () => {
  client.ws.terminate();
  const again = await resume(first);
  const second = await ticketOf(again);
  await resumeInVain(first, again);
  const last = await resume(second);
  expect(await ticketOf(last)).not.toBe(second);
});
