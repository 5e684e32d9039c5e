import { launched, leave } from '@session-launch/testing/lifecycle.ts';
import { createWorld, expectError, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { useService } from '../harness/service.ts';

const service = useService();
let world: World;
beforeAll(async () => {
  world = await createWorld(service);
});

/** Counts the queries that end a session. */
function countEnds(): () => number {
  const query = vi.spyOn(service.database, 'query');
  onTestFinished(() => query.mockRestore());
  return () => query.mock.calls.filter(([, { name }]) => name === 'change_sessions').length;
}

test('repeated leaves of a session return 204, and cost one query', async () => {
  const { sessionId, sessionToken } = await launched(service, world);
  const ends = countEnds();
  const together = await Promise.all(
    Array.from({ length: 20 }, () => leave(service, sessionId, sessionToken)),
  );
  for (let n = 0; n < 20; n++) together.push(await leave(service, sessionId, sessionToken));
  expect(together.map(({ status }) => status)).toEqual(Array(40).fill(204));
  expect(ends()).toBe(1);
});

test('a leave without a valid token is refused, also for a session that has already been left', async () => {
  const [left, other] = [await launched(service, world), await launched(service, world)];
  expect((await leave(service, left.sessionId, left.sessionToken)).status).toBe(204);
  for (const token of ['x', other.sessionToken])
    expectError(await leave(service, left.sessionId, token), 401, 'SESSION_TOKEN_INVALID');
});

test('a leave after a failed one is executed again', async () => {
  const { sessionId, sessionToken } = await launched(service, world);
  const failing = vi.spyOn(service.database, 'query').mockRejectedValueOnce(new Error('away'));
  onTestFinished(() => failing.mockRestore());
  expect((await leave(service, sessionId, sessionToken)).status).toBeGreaterThanOrEqual(500);
  expect((await leave(service, sessionId, sessionToken)).status).toBe(204);
  const record = await service.call({
    path: `/v1/sessions/${sessionId}`,
    headers: { Authorization: `Bearer ${world.key}` },
  });
  expect(record.json).toMatchObject({ status: 'ended', endReason: 'client_left' });
});
