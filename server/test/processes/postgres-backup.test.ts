import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { postgresFleet } from '@session-launch/testing/fleet.ts';
import { freePort, onDatabase } from '@session-launch/testing/postgres-server.ts';
import { atPort, type ServiceProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { isSkipped } from '@session-launch/testing/programs.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { expect, inject, test } from 'vitest';
import { blockRunBy } from '../harness/doc-blocks.ts';

const cleanup = useCleanup();

const page = 'docs/operations.md';

/** Creates a role and its database with the statements of the page, under another name. */
async function emptyDatabase(): Promise<string> {
  const server = inject('postgresUrl');
  const name = `restored_${randomBytes(6).toString('hex')}`;
  const statements = blockRunBy(import.meta.url, page, 'CREATE ROLE').replaceAll('session_launch', name);
  const run = async (...texts: string[]) => {
    // One at a time: a database cannot be created in a transaction.
    for (const text of texts) await onDatabase(server, (client) => client.query(text));
  };
  cleanup(() => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `DROP ROLE IF EXISTS ${name}`));
  await run(...statements.trim().split('\n'));
  const url = new URL(server);
  [url.username, url.password, url.pathname] = [name, 'choose-a-long-one', name];
  return url.href;
}

test.skipIf(isSkipped('pg_dump'))(
  'the documented commands restore a running service into an empty database',
  async () => {
    const [dump = '', restore = ''] = blockRunBy(import.meta.url, page, 'pg_dump').split('\n');
    const folder = await temporaryFolder();
    cleanup(folder.remove);
    const run = (command: string, url: string) =>
      promisify(execFile)('sh', ['-c', command], {
        cwd: folder.path,
        env: { ...process.env, DATABASE_URL: url },
      });
    const SIGNING_KEYS_FILE = join(folder.path, 'keys.json');
    const fleet = await postgresFleet(cleanup);
    const service = await fleet.start({ SIGNING_KEYS_FILE });
    const world = await createWorld(service);
    const mint = (to: ServiceProcess, key: string) =>
      to.call({
        method: 'POST',
        path: '/v1/sessions',
        headers: { Authorization: `Bearer ${world.key}`, 'Idempotency-Key': key },
        body: { experienceId: world.experienceId },
      });
    const keys = Array.from({ length: 50 }, () => crypto.randomUUID());
    const launches = await Promise.all(keys.map((key) => mint(service, key)));
    await run(dump, fleet.databaseUrl);
    const url = await emptyDatabase();
    await run(restore, url);
    const port = await freePort();
    const env = { SIGNING_KEYS_FILE, PUBLIC_URL: service.url, PORT: String(port) };
    const restored = atPort(await (await postgresFleet(cleanup, url)).start(env), port);
    const replays = await Promise.all(keys.map((key) => mint(restored, key)));
    expect(replays.map(({ text }) => text)).toEqual(launches.map(({ text }) => text));
    expect((await mint(restored, 'another')).status).toBe(201);
  },
);
