import type { TestProject } from 'vitest/node';
import { startTemplateServer } from './template-server.ts';

/** Starts one PostgreSQL server for the whole run, with a migrated template database that tests clone. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('engine', 'postgres');
  if (project.getProvidedContext().postgresUrl !== undefined) return undefined;
  const server = await startTemplateServer();
  project.vitest.provide('postgresUrl', server.url('postgres'));
  return () => server.dispose();
}
