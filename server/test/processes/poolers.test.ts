import { postgresFleet, rows, untilReady } from '@session-launch/testing/fleet.ts';
import { startPooler } from '@session-launch/testing/pooler.ts';
import { createWorld, mintFromBrowser, mintFromServer } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';

test('a pooler in session mode needs no special settings', async ({ onTestFinished }) => {
  const fleet = await postgresFleet(onTestFinished);
  const pooler = await startPooler(onTestFinished, Number(new URL(fleet.databaseUrl).port), 'session');
  const service = await fleet.start({ DATABASE_URL: pooler.through(fleet.databaseUrl) });
  const limits = { mintsPerMinutePerClient: 1_000, mintsPerMinute: 1_000, sessionsPerDay: 1_000 };
  const world = await createWorld(service, { project: { limits } });
  const body = { experienceId: world.experienceId };
  const mints = Array.from({ length: 40 }, (_, n) =>
    n % 2 === 0
      ? mintFromServer(service, world.key, body, { 'Idempotency-Key': `key ${n % 10}` })
      : mintFromBrowser(service, body),
  );
  for (const { status, text } of await Promise.all(mints)) expect([201, 409], text).toContain(status);
  await untilReady(service);
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('a pooler in transaction mode is detected, and the start fails with one line', async ({
  onTestFinished,
}) => {
  const fleet = await postgresFleet(onTestFinished);
  const pooler = await startPooler(onTestFinished, Number(new URL(fleet.databaseUrl).port), 'transaction');
  const DATABASE_URL = pooler.through(fleet.databaseUrl);
  const setting = () => rows<{ at: string }>(DATABASE_URL, 'SELECT current_setting($1) AS at', ['datestyle']);
  const before = await setting();
  await expect(fleet.start({ DATABASE_URL })).rejects.toThrow(
    /^the process ended with 1: session-launch: [^\n]*pooler[^\n]*session mode[^\n]*\n$/,
  );
  // The connections of the pooler are shared with other clients.
  expect(await setting()).toEqual(before);
});
