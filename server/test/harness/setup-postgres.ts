import { onDatabase, startPostgres } from '@session-launch/testing/postgres-server.ts';
import type { TestProject } from 'vitest/node';
import { openPatiently } from './patient-postgres.ts';

/** Starts one PostgreSQL server for the whole run, with a migrated template database that tests clone. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('engine', 'postgres');
  if (project.getProvidedContext().postgresUrl !== undefined) return undefined;
  const server = await startPostgres();
  await onDatabase(server.url('postgres'), (client) => client.query('CREATE DATABASE template_service'));
  const url = server.url('template_service');
  const database = await openPatiently(url, { migrated: true });
  await database.close();
  project.vitest.provide('postgresUrl', server.url('postgres'));
  return () => server.dispose();
}
