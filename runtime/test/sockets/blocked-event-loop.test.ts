import { afterEach, expect, test } from 'vitest';
import { blockEventLoop } from '../harness/block-event-loop.ts';
import { scriptedHearing } from '../harness/engines.ts';
import { sendAudio } from '../harness/user-audio.ts';
import { startWorld, type World } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';

// Deadlines of the real clock that expire while input waits in the kernel.

let world: World;
afterEach(() => world.close());

test('a hello that arrived in time is accepted, even if the runtime reads it after the deadline', async () => {
  world = await startWorld();
  const client = await world.client();
  client.hello({ token: world.service.mint({ mind: harbor }).token });
  blockEventLoop(5200);
  await client.event('ready');
});

test('a turn does not end for lack of frames while frames wait to be read', async () => {
  const hearing = scriptedHearing(['ferry']);
  world = await startWorld({ engines: { hearing } });
  const client = await world.join({ mind: harbor });
  const loudness = 5000;
  sendAudio(client, 10, { loudness });
  await client.handled();
  sendAudio(client, 10, { loudness });
  blockEventLoop(2200);
  sendAudio(client, 15);
  await client.event('message', ({ role }) => role === 'user');
  expect(hearing.heard.length).toBe(1);
  expect(hearing.heard[0]).toBeGreaterThan(1000);
});
