import { onDatabase, startPostgres } from '@session-launch/testing/postgres-server.ts';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/store/migrate.ts';
import { openPostgres } from '../../src/store/postgres.ts';

/** Starts one PostgreSQL with a migrated template: every test file clones the template. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await onDatabase(server.url('postgres'), (client) => client.query('CREATE DATABASE template_service'));
  const url = server.url('template_service');
  const database = await openPostgres(url, { onIdleError: () => undefined });
  await migrate(database, url);
  await database.close();
  project.provide('engine', 'postgres');
  project.provide('postgresUrl', server.url('postgres'));
  return () => server.dispose();
}
