import type { TestProject } from 'vitest/node';

/** Points the acceptance tests at a deployment that somebody else runs. */
export default function setup(project: TestProject): void {
  const { ACCEPTANCE_URL, ACCEPTANCE_ADMIN_URL, ACCEPTANCE_ADMIN_TOKEN } = process.env;
  if (!ACCEPTANCE_URL || !ACCEPTANCE_ADMIN_URL || !ACCEPTANCE_ADMIN_TOKEN) {
    throw new Error('a deployment is ACCEPTANCE_URL, ACCEPTANCE_ADMIN_URL and ACCEPTANCE_ADMIN_TOKEN');
  }
  project.provide('deployments', [
    { url: ACCEPTANCE_URL, adminUrl: ACCEPTANCE_ADMIN_URL, adminToken: ACCEPTANCE_ADMIN_TOKEN },
  ]);
}
