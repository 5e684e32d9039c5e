import { deployedService } from '@session-launch/testing/deployment.ts';
import { createWorld, experience, mintFromServer, runtime } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';

const service = deployedService();

test('a transport without an address uses the runtime of the service, in replays too', async () => {
  const transport = { type: 'websocket', region: 'eu' };
  const world = await createWorld(service, { experience: experience({ runtime: runtime({ transport }) }) });
  const mint = (more: object = {}) =>
    mintFromServer(
      service,
      world.key,
      { experienceId: world.experienceId, ...more },
      { 'Idempotency-Key': `address ${JSON.stringify(more)}` },
    );
  const url = `${service.url.replace(/^http/, 'ws')}/runtime`;
  for (const more of [{}, { speechOnly: true }]) {
    const first = await mint(more);
    expect(first.json.launch.transport).toEqual({ type: 'websocket', url, region: 'eu' });
    expect((await mint(more)).text).toBe(first.text);
  }
});
