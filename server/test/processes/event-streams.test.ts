import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { openConnection } from '@session-launch/testing/raw-http.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { expect, test } from 'vitest';
import { openEvents } from '../harness/event-stream.ts';
import { createOperator } from '../harness/operators.ts';

const cleanup = useCleanup();

/** Starts a service, opens 24 event streams, and returns the milliseconds from SIGTERM to its exit. */
async function stopTime(): Promise<number> {
  const { path, remove } = await temporaryFolder();
  cleanup(remove);
  const service = await startProcess({ DATA_DIR: await prepareDataFolder(join(path, 'data')) });
  cleanup(() => service.kill('SIGKILL'));
  const tokens = await Promise.all(
    Array.from({ length: 5 }, async () => (await createOperator(service)).token as string),
  );
  const callers = [
    ...tokens.flatMap((token) => Array.from({ length: 4 }, () => token)),
    ...Array(3).fill(adminToken),
  ];
  const open = await Promise.all(callers.map((token) => openEvents(service.adminUrl, token)));
  for (const { status } of open) expect(status).toBe(200);
  // One client stops reading.
  const { socket, received } = openConnection(service.adminUrl);
  cleanup(async () => socket.destroy());
  socket.write(`GET /admin/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`);
  await expect.poll(() => received().toString()).toContain('retry:');
  socket.pause();
  expect((await service.admin({ path: '/admin/events' })).status).toBe(503);
  const began = performance.now();
  const exit = service.kill('SIGTERM');
  await Promise.all(open.map(({ ended }) => ended));
  expect((await exit).code).toBe(0);
  return performance.now() - began;
}

test('a shutdown does not wait for 24 open event streams', async () => {
  // A service that waits for the streams takes eight seconds.
  expectWithin(await stopTime(), 4_000);
});
