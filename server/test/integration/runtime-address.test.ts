import { createWorld, experience, mintFromServer, runtime } from '@session-launch/testing/world.ts';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../harness/service.ts';

test('the runtime address is stored with the session: a replay after a change uses the old one', async () => {
  const [old, changed] = ['wss://old.example.com/talk', 'wss://new.example.com/talk?zone=1'];
  const before = await startService({ RUNTIME_URL: old });
  onTestFinished(() => before.close());
  const after = await startService({ RUNTIME_URL: changed }, before);
  onTestFinished(() => after.close());
  const transport = { type: 'websocket' };
  const world = await createWorld(before, { experience: experience({ runtime: runtime({ transport }) }) });
  const mint = (service: typeof before, key: string) =>
    mintFromServer(service, world.key, { experienceId: world.experienceId }, { 'Idempotency-Key': key });
  const first = (await mint(before, 'first')).json.launch;
  expect(first.transport).toEqual({ type: 'websocket', url: old });
  const replayed = (await mint(after, 'first')).json.launch;
  expect(replayed.transport).toEqual(first.transport);
  expect(replayed.links).toEqual({ leave: `${before.url}/v1/sessions/${first.sessionId}/leave` });
  expect((await mint(after, 'second')).json.launch.transport).toEqual({ type: 'websocket', url: changed });
});
