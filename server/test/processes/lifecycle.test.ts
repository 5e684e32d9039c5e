import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresFleet } from '@session-launch/testing/fleet.ts';
import { send } from '@session-launch/testing/http.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { expectError } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';

test('without an admin token the admin listener serves runtimes only', async ({ onTestFinished }) => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const fleet = await postgresFleet(onTestFinished);
  const DATA_DIR = join(folder.path, 'data');
  // The service generates its own runtime token.
  const service = await fleet.start({ RUNTIME: 'on', ADMIN_TOKEN: '', RUNTIME_TOKEN: '', DATA_DIR });
  const tokenFile = join(DATA_DIR, 'runtime-token');
  const token = (await readFile(tokenFile, 'utf8')).trim();
  expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
  expect(service.stdout()).toContain('for runtimes only');
  expect(service.stdout()).not.toContain(token);

  const as = (bearer: string) => ({ headers: { Authorization: `Bearer ${bearer}` } });
  for (const path of ['/admin/projects', '/metrics'])
    expectError(await send(service.adminUrl, { path, ...as(adminToken) }), 404, 'NOT_FOUND');
  const report = { method: 'POST', path: '/runtime/v1/reports', body: { runtimeId: 'rt', sessions: [] } };
  expect((await send(service.adminUrl, { ...report, ...as(token) })).status).toBe(200);
  expectError(await send(service.adminUrl, { ...report, ...as(adminToken) }), 401, 'RUNTIME_TOKEN_INVALID');
});
