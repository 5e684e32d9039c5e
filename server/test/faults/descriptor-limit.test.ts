import { Agent, request } from 'node:http';
import { openConnection, type RawConnection } from '@session-launch/testing/raw-http.ts';
import { mintFromServer } from '@session-launch/testing/world.ts';
import { afterAll, expect, test, vi } from 'vitest';
import { timeLimits } from '../../../testing/src/tiers.ts';
import { askAdmin } from '../harness/ask-admin.ts';
import { openNow, useTestedService } from './victim.ts';

// The embedded engine opens files at run time; if it cannot open one, it fails permanently.
const tested = useTestedService({ engine: 'embedded', descriptors: 700 });

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

/** Mints on the connection that was opened before the others. */
function mintAsRegular(): Promise<number | undefined> {
  const { key, experienceId } = tested.world;
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    request(new URL('/v1/sessions', tested.service.url), { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    })
      .once('error', reject)
      .end(JSON.stringify({ experienceId }));
  });
}

const mint = () =>
  mintFromServer(tested.service, tested.world.key, { experienceId: tested.world.experienceId });

const rush = (count: number) => Array.from({ length: count }, () => openConnection(tested.service.url));

const settled = (connections: RawConnection[]) =>
  vi.waitFor(() => {
    for (const { socket } of connections) expect(socket.connecting).toBe(false);
    expect(connections.filter(({ socket }) => socket.destroyed).length).toBeGreaterThan(200);
  }, timeLimits(3).testTimeout);

test('more connections than descriptors leave the service running, with its database and its admin API', async () => {
  expect(await mintAsRegular()).toBe(201);
  const crowd = rush(1_000);
  await settled(crowd);
  for (let i = 0; i < 150; i++) expect(await mintAsRegular()).toBe(201);
  expect((await askAdmin(tested.service, 'GET /admin/status')).database).toBe('ok');
  expect(await tested.metric(openNow)).toBeLessThan(500);
  expect(tested.service.stderr()).toMatch(/"level":"warn".*"msg":"connections are refused/);

  for (const { socket } of crowd) socket.resetAndDestroy();
  await vi.waitFor(async () => expect((await mint()).status).toBe(201), timeLimits(3).testTimeout);
  // Logged once: a line per refused connection could fill a disk.
  expect(tested.service.stderr().match(/connections are refused/g)).toHaveLength(1);
  expect(tested.service.stderr()).not.toMatch(/"level":"(error|fatal)"|EMFILE/);
});
