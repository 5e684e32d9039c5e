import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresFleet, rows } from '@session-launch/testing/fleet.ts';
import { send } from '@session-launch/testing/http.ts';
import { connect, launched } from '@session-launch/testing/lifecycle.ts';
import { type ServiceProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld, expectError } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

describe('two processes on one database', () => {
  const undo: (() => Promise<void>)[] = [];
  let databaseUrl: string;
  let one: ServiceProcess;
  /** Without an admin token, and with a token for runtimes that it made itself. */
  let other: Pick<ServiceProcess, 'runtime' | 'admin'>;
  let tokenFile: string;

  beforeAll(async () => {
    const folder = await temporaryFolder();
    undo.push(folder.remove);
    const fleet = await postgresFleet((remove) => undo.push(remove));
    ({ databaseUrl } = fleet);
    const own = { RUNTIME: 'on', ADMIN_TOKEN: '', RUNTIME_TOKEN: '', DATA_DIR: join(folder.path, 'data') };
    const [first, second] = await Promise.all([fleet.start(), fleet.start(own)]);
    one = first;
    tokenFile = join(own.DATA_DIR, 'runtime-token');
    const token = (await readFile(tokenFile, 'utf8')).trim();
    other = {
      runtime: (call) => send(second.adminUrl, { ...call, headers: { Authorization: `Bearer ${token}` } }),
      admin: (call) => send(second.adminUrl, { ...call, headers: { Authorization: `Bearer ${adminToken}` } }),
    };
    expect(second.stdout()).toContain('for runtimes only');
    expect(second.stdout()).not.toContain(token);
  });
  afterAll(async () => {
    for (const remove of undo.reverse()) await remove();
  });

  test('of a hundred connects with one token, one succeeds', async () => {
    const launch = await launched(one, await createWorld(one));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => connect(n % 2 === 0 ? one : other, launch, `rt_${n}`)),
    );
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectError(answer, 409, 'SESSION_ALREADY_CONNECTED');
    const [stored] = await rows<{ runtime_id: string; started_at: Date }>(
      databaseUrl,
      'SELECT runtime_id, started_at FROM active_sessions WHERE session_id = $1',
      [launch.sessionId],
    );
    expect(stored?.started_at.toISOString()).toBe(admitted[0]?.json.session.startedAt);
  });

  test('of fifty sessions that connect at once, as many begin as the project allows', async () => {
    const world = await createWorld(one, { project: { limits: { concurrentSessions: 5 } } });
    const launches = await Promise.all(Array.from({ length: 50 }, () => launched(one, world)));
    const answers = await Promise.all(
      launches.map((launch, n) => connect(n % 2 === 0 ? one : other, launch)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectError(answer, 429, 'CONCURRENCY_LIMIT');
    const [counted] = await rows<{ active: number }>(
      databaseUrl,
      'SELECT active FROM active_counts WHERE project_id = $1',
      [world.projectId],
    );
    expect(counted?.active).toBe(5);
  });

  test('without an admin token the admin listener is there for runtimes alone', async () => {
    expectError(await other.admin({ path: '/admin/projects' }), 404, 'NOT_FOUND');
    expectError(await other.admin({ path: '/metrics' }), 404, 'NOT_FOUND');
    const report = { method: 'POST', path: '/runtime/v1/reports', body: { runtimeId: 'rt', sessions: [] } };
    expect((await other.runtime(report)).status).toBe(200);
    expectError(await other.admin(report), 401, 'RUNTIME_TOKEN_INVALID');
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
  });
});
