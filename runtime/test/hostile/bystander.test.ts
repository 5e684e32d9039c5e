import { median } from '@session-launch/testing/median.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { startWorld, type World } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';
import { hostileTexts } from './texts.ts';

/** A client may send this many texts in 10 seconds. */
const textsPerClient = 9;
/** Consecutive pings per measurement. Their mean is compared. */
const pingsEach = 20;
/** Tolerated noise of a mean, in milliseconds. */
const noise = 5;

let world: World;
beforeAll(async () => {
  world = await startWorld({ logLevel: 'silent', maxSessions: 1000 });
});
afterAll(() => world.close());

let pings = 0;

/** Returns the round-trip time of a ping in milliseconds. */
async function ping(client: Client): Promise<number> {
  const t = ++pings;
  const from = client.events.length;
  const start = performance.now();
  client.send({ type: 'ping', t });
  await client.event('pong', (pong) => pong.t === t, from);
  return performance.now() - start;
}

async function pingsOf(client: Client): Promise<number> {
  let total = 0;
  for (let n = 0; n < pingsEach; n++) total += await ping(client);
  return total / pingsEach;
}

test('pings are answered within five times the usual time while other sessions send hostile texts', async () => {
  const texts = Object.values(hostileTexts).map((text) => text(4000));
  const talkers: Client[] = [];
  for (let n = 0; n < texts.length; n += textsPerClient) talkers.push(await world.join({ mind: harbor }));
  const [usual, beside]: [number[], number[]] = [[], []];
  for (const [n, text] of texts.entries()) {
    // A client may send 100 frames in a second.
    const bystander = await world.join({ mind: harbor });
    usual.push(await pingsOf(bystander));
    talkers[n % talkers.length]!.send({ type: 'text', id: `t${n}`, text });
    beside.push(await pingsOf(bystander));
    bystander.send({ type: 'bye' });
  }
  expect(median(beside)).toBeLessThan(5 * median(usual) + noise);
});
