import { type PostgresServer, startPostgres } from '@session-launch/testing/postgres-server.ts';
import { expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { checkDatabase } from '../../src/doctor/database.ts';
import { openPatiently } from '../harness/patient-postgres.ts';

/** The findings about a server with these settings, as status and first word. */
async function findingsAbout(server: PostgresServer) {
  const url = server.url('postgres');
  // Waits until the server, on a busy machine, accepts connections in time.
  await (await openPatiently(url)).close();
  const findings = await checkDatabase({ database: { engine: 'postgres', url } } as Config, undefined);
  expect(findings[0]).toMatchObject({ check: 'database', status: 'ok' });
  return findings.slice(1);
}

test('doctor finds nothing wrong with the default settings of PostgreSQL', async ({ onTestFinished }) => {
  const server = await startPostgres({ durable: true });
  onTestFinished(() => server.dispose());
  expect(await findingsAbout(server)).toEqual([
    { check: 'database settings', status: 'ok', message: 'nothing is unsafe or slow' },
  ]);
});

test('doctor reports each setting of PostgreSQL that is unsafe or slow, with a fix', async ({
  onTestFinished,
}) => {
  const server = await startPostgres({
    settings: {
      autovacuum: 'off',
      track_counts: 'off',
      track_activities: 'off',
      synchronous_commit: 'off',
      default_transaction_read_only: 'on',
      max_connections: '20',
    },
  });
  onTestFinished(() => server.dispose());
  const findings = await findingsAbout(server);
  expect(findings.map(({ status, message }) => `${status} ${message.split(' ')[0]}`)).toEqual([
    'fail fsync',
    'warn full_page_writes',
    'fail synchronous_commit',
    'fail default_transaction_read_only',
    'warn autovacuum',
    'warn track_counts',
    'warn track_activities',
    'warn 17',
  ]);
  for (const { todo } of findings) expect(todo).not.toBe('');
});
