import { requirePostgres } from '@session-launch/testing/programs.ts';
import type { TestProject } from 'vitest/node';
import { startTemplateServer } from './template-server.ts';

/** Starts Debian's PostgreSQL for the tests of this project, with its default planner settings and just-in-time compilation. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTemplateServer({ bin: requirePostgres() });
  project.provide('engine', 'postgres');
  project.provide('postgresUrl', server.url('postgres'));
  return () => server.dispose();
}
