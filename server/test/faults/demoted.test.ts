import { postgresFleet, until } from '@session-launch/testing/fleet.ts';
import { onDatabase, startPostgres } from '@session-launch/testing/postgres-server.ts';
import { createWorld, expectError, mintFromBrowser, mintFromServer } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';

test('a process whose database takes no writes is not ready: read-only, then demoted, then promoted', async ({
  onTestFinished,
}) => {
  const server = await startPostgres();
  onTestFinished(() => server.dispose());
  const url = server.url('postgres');
  const fleet = await postgresFleet(onTestFinished, url);
  const service = await fleet.start();
  const limits = { mintsPerMinutePerClient: 1_000, mintsPerMinute: null, sessionsPerDay: null };
  const world = await createWorld(service, { project: { limits } });
  const body = { experienceId: world.experienceId };
  const mints = {
    server: () => mintFromServer(service, world.key, body),
    browser: () => mintFromBrowser(service, body),
  };

  const expectMinting = async () => {
    await until('ready', async () => (await service.call({ path: '/readyz' })).status === 200);
    for (const mint of Object.values(mints)) expect((await mint()).status).toBe(201);
  };
  const expectNoWrites = async () => {
    const reason = 'the database takes no writes';
    const says = async () => (await service.call({ path: '/readyz' })).json.reason;
    await until(reason, async () => (await says()) === reason);
    for (const mint of Object.values(mints)) expectError(await mint(), 503, 'UNAVAILABLE');
    expect(await says()).toBe(reason);
    expect((await service.call({ path: '/healthz' })).status).toBe(200);
  };
  const run = (...texts: string[]) =>
    onDatabase(url, async (client) => {
      for (const text of texts) await client.query(text);
    });

  await expectMinting();
  await run('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
  await expectNoWrites();
  await run(
    'SET default_transaction_read_only = off',
    'ALTER SYSTEM RESET default_transaction_read_only',
    'SELECT pg_reload_conf()',
  );
  await expectMinting();

  await server.demote();
  await expectNoWrites();
  await run('SELECT pg_promote()');
  await expectMinting();
});
