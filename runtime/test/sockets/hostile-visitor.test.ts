import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { scriptedHearing } from '../harness/engines.ts';
import { FakeClock } from '../harness/fake-clock.ts';
import { startWorld, type World } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';

const hostile = '203.0.113.1';
const origin = 'https://www.example.com';

let world: World;
let hearing: ReturnType<typeof scriptedHearing>;
beforeEach(async () => {
  hearing = scriptedHearing([]);
  // The fake clock does not advance, so no rate window ends on a slow machine.
  world = await startWorld({ clock: new FakeClock(), maxSessions: 40, engines: { hearing } });
});
afterEach(() => world.close());

/** Opens a browser session; returns the client or the close code. */
async function visit(address: string): Promise<Client | number> {
  const client = await world.client({ address, origin });
  client.hello({ token: world.service.mint({ origin, mind: harbor }).token });
  return Promise.race([
    client.event('ready').then(
      () => client,
      () => client.closed.then(({ code }) => code),
    ),
    client.closed.then(({ code }) => code),
  ]);
}

/** Repeats `act` on one connection after another until a resume is rejected; returns the close codes. */
async function insist(client: Client, act: (client: Client) => void): Promise<number[]> {
  const codes: number[] = [];
  for (let current = client; ; ) {
    act(current);
    codes.push((await current.closed).code);
    const ready = current.events.find(({ type }) => type === 'ready');
    if (ready?.type !== 'ready') return codes;
    const next = await world.client({ address: hostile, origin });
    next.hello({ resume: { ticket: ready.resumeTicket, lastSeq: 0 } });
    await Promise.race([next.event('ready').catch(() => {}), next.closed]);
    current = next;
  }
}

/** 100 ms of user audio. */
const loudFrame = Buffer.alloc(8 + 3200, 0x20);
loudFrame[0] = 2;
const attacks: ((client: Client) => void)[] = [
  ({ ws }) => {
    for (let i = 0; i < 1000; i++) ws.ping();
  },
  ({ ws }) => {
    for (let i = 0; i < 1000; i++) ws.pong();
  },
  (client) => {
    for (let i = 0; i < 200; i++) client.send({ type: 'text', id: `${Math.random()}`, text: 'ferry' });
  },
  // Sends six turns of 1.5 s in a burst.
  (client) => {
    for (let i = 1; i <= 96; i++)
      if (i % 16 === 0) client.send({ type: 'audio.end' });
      else client.ws.send(loudFrame);
  },
  ({ ws }) => {
    for (let i = 0; i < 1000; i++) ws.send('', { fin: false, binary: false });
  },
  ({ ws }) => ws.send('x'.repeat(70_000)),
];

test('a visitor that tests every limit does not refuse, close or silence any of ten honest talkers', async () => {
  const honest = await Promise.all(Array.from({ length: 10 }, () => world.join({ mind: harbor })));
  // Opens as many sessions as the runtime accepts.
  const taken = await Promise.all(Array.from({ length: 40 }, () => visit(hostile)));
  const mine = taken.filter((one): one is Client => typeof one !== 'number');
  expect(taken.filter((one) => typeof one === 'number')).toEqual(Array(40 - mine.length).fill(1013));
  expect(mine.length).toBe(22);

  const floods = mine.slice(0, attacks.length).map((client, i) => insist(client, attacks[i]!));
  const silent = Array.from({ length: 120 }, () => world.client({ address: hostile, origin }));
  const answers = Promise.all(honest.map((client) => client.ask('When do the ferries leave?')));
  const late = await visit('203.0.113.2');

  expect(await answers).toEqual(Array(10).fill('At every full hour.'));
  expect(typeof late).toBe('object');
  for (const codes of await Promise.all(floods)) {
    // The first connection and five resumes; the next one is rejected.
    expect(codes.length).toBeLessThanOrEqual(7);
    expect(codes.at(-1)).toBe(4429);
    for (const code of codes) expect([1008, 1009, 4429]).toContain(code);
  }
  await Promise.all(silent);
  for (const client of honest) expect(client.story).not.toContain('error');
  // The clock did not advance, so at most the allowance of two seconds above real time was transcribed.
  expect(hearing.heard.length).toBeGreaterThan(0);
  expect(hearing.heard.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(2000);
  await Promise.all(honest.map((client) => client.handled()));
});
