import type { TestProject } from 'vitest/node';

/** Runs the acceptance tests against an existing deployment, given by environment variables. */
export default function setup(project: TestProject): void {
  const names = ['URL', 'ADMIN_URL', 'ADMIN_TOKEN', 'RUNTIME_TOKEN'].map((name) => `ACCEPTANCE_${name}`);
  const [url, adminUrl, adminToken, runtimeToken] = names.map((name) => process.env[name]);
  if (!url || !adminUrl || !adminToken || !runtimeToken)
    throw new Error(`a deployment is ${names.join(', ')}`);
  project.provide('deployments', [{ url, adminUrl, adminToken, runtimeToken }]);
}
