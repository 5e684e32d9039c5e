import {
  onDatabase,
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from '@session-launch/testing/postgres-server.ts';
import { openPatiently } from './patient-postgres.ts';

/** Starts a PostgreSQL server with a migrated template database that tests clone. */
export async function startTemplateServer(options: PostgresOptions = {}): Promise<PostgresServer> {
  const server = await startPostgres(options);
  await onDatabase(server.url('postgres'), (client) => client.query('CREATE DATABASE template_service'));
  const database = await openPatiently(server.url('template_service'), { migrated: true });
  await database.close();
  return server;
}
