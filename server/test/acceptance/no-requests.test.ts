import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { runtime } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints, mintAt, openWorld } from './mint-endpoints.ts';

const service = deployedService();

/** A server behind every URL in the test; it counts connections. */
let trap: Server;
let port: number;
let visits = 0;
beforeAll(async () => {
  trap = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  trap.listen(0, '127.0.0.1');
  await once(trap, 'listening');
  ({ port } = trap.address() as { port: number });
});
afterAll(() => new Promise((resolve) => trap.close(resolve)));

test('the service requests no address that a caller sends', async () => {
  const place = `127.0.0.1:${port}`;
  const origin = `http://${place}`;
  const world = await openWorld(service, {
    project: { allowedOrigins: [origin] },
    experience: {
      allowedOrigins: [origin],
      thumbnailPath: '/avatars/a.svg',
      runtime: runtime({
        transport: { type: 'websocket', url: `wss://${place}/session`, callback: `${origin}/callback` },
        location: { locationId: 'here', scene: { image: `${origin}/image` }, assets: ['/locations/a.svg'] },
      }),
    },
  });
  const button = { icon: `${origin}/icon.png`, onClick: { url: `${origin}/click` } };
  const fields = { startButton: button, closeButton: button, integration: { returnUrl: `${origin}/back` } };
  const headers = {
    Origin: origin,
    Referer: `${origin}/page`,
    'X-Forwarded-Host': place,
    Forwarded: `host=${place}`,
    'X-Original-URL': `${origin}/x`,
  };
  for (const endpoint of endpoints) {
    const answer = await mintAt(
      service,
      endpoint,
      world,
      { experienceId: world.experienceId, ...fields },
      headers,
    );
    expect(answer.status, answer.text).toBe(endpoint.launches);
    expect(answer.text).toContain(`wss://${place}/session`);
  }
  const bearer = { ...headers, Authorization: `Bearer ${world.key}` };
  const catalog = await service.call({
    path: `/v1/projects/${world.projectId}/experiences`,
    headers: bearer,
  });
  expect(catalog.status).toBe(200);
  const elsewhere = encodeURIComponent(`${origin}/avatar.svg`);
  expect((await service.call({ path: `/avatars/${elsewhere}` })).status).toBe(404);
  expect(visits).toBe(0);

  // Proves that the server counts connections.
  await once(connect(port, '127.0.0.1'), 'close');
  expect(visits).toBe(1);
});
