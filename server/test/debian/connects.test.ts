import { postgresFleet, rows } from '@session-launch/testing/fleet.ts';
import { connect, launched } from '@session-launch/testing/lifecycle.ts';
import { inTime } from '@session-launch/testing/slowness.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { openPatiently } from '../harness/patient-postgres.ts';

test('48 clients of a project with a limit connect at once through two processes, and none is refused', async ({
  onTestFinished,
}) => {
  const fleet = await postgresFleet(onTestFinished);
  expect(await rows(fleet.databaseUrl, 'SHOW jit')).toEqual([{ jit: 'on' }]);
  const services = [await fleet.start(), await fleet.start()];
  const world = await createWorld(services[0]!, { project: { limits: { concurrentSessions: 1_000 } } });
  const launches = await Promise.all(Array.from({ length: 48 }, (_, i) => launched(services[i % 2]!, world)));
  const answers = await Promise.all(launches.map((launch, i) => connect(services[i % 2]!, launch)));
  const statuses = answers.map(({ status }) => status);
  expect(new Set(inTime(statuses, 503))).toEqual(new Set([200]));
});

test('connections turn just-in-time compilation off, also where the database forces it', async ({
  onTestFinished,
}) => {
  const { databaseUrl } = await postgresFleet(onTestFinished);
  const name = new URL(databaseUrl).pathname.slice(1);
  for (const setting of ['jit = on', 'jit_above_cost = 0'])
    await rows(databaseUrl, `ALTER DATABASE ${name} SET ${setting}`);
  const database = await openPatiently(databaseUrl);
  onTestFinished(() => database.close());
  const show = { text: 'SHOW jit' };
  for (const workload of ['everyday', 'recording', 'probing', 'admin'] as const)
    expect(await database.query(workload, show)).toEqual([{ jit: 'off' }]);
  expect(await database.transaction((tx) => tx.query(show))).toEqual([{ jit: 'off' }]);
});
