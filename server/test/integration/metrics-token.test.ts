import { type Answer, send } from '@session-launch/testing/http.ts';
import { expectError } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { type Service, useService } from '../harness/service.ts';

const metricsToken = 'a-metrics-token-for-tests';
const env = { METRICS_TOKEN: metricsToken };

const ask = (service: Service, path: string, token: string): Promise<Answer> =>
  send(service.adminUrl, { path, headers: { Authorization: `Bearer ${token}` } });

describe('METRICS_TOKEN', () => {
  const service = useService(env);

  test('grants access to /metrics, as does the admin token', async () => {
    for (const answer of [
      await ask(service, '/metrics', metricsToken),
      await service.admin({ path: '/metrics' }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers['cache-control']).toBe('no-store, private');
      expect(answer.text).toContain('session_launch_queue_length');
    }
  });

  test.each(['/admin/status', '/admin/projects', '/admin/openapi.json'])(
    'does not grant access to %s',
    async (path) => {
      expectError(await ask(service, path, metricsToken), 401, 'ADMIN_TOKEN_INVALID');
    },
  );

  test('does not grant access to runtime endpoints', async () => {
    const answer = await send(service.adminUrl, {
      method: 'POST',
      path: '/runtime/v1/reports',
      headers: { Authorization: `Bearer ${metricsToken}` },
      body: { runtimeId: 'rt_test', sessions: [] },
    });
    expectError(answer, 401, 'RUNTIME_TOKEN_INVALID');
  });

  test.each(['', 'a-metrics-token-for-test', 'a-runtime-token-for-tests'])(
    'another token, "%s", is refused',
    async (token) => {
      const answer = await ask(service, '/metrics', token);
      expectError(answer, 401, 'ADMIN_TOKEN_INVALID');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    },
  );

  test('is accepted for GET and HEAD only', async () => {
    const headers = { Authorization: `Bearer ${metricsToken}` };
    const answer = await send(service.adminUrl, { method: 'POST', path: '/metrics', headers, body: {} });
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
  });
});

describe('METRICS_TOKEN without an admin token', () => {
  const service = useService({ ...env, ADMIN_TOKEN: '' });

  test('grants access to /metrics on the listener for runtimes', async () => {
    expect((await ask(service, '/metrics', metricsToken)).status).toBe(200);
    expectError(await ask(service, '/admin/status', metricsToken), 404, 'NOT_FOUND');
  });
});

describe('without METRICS_TOKEN and an admin token', () => {
  const service = useService({ ADMIN_TOKEN: '' });

  test('/metrics does not exist', async () => {
    expectError(await ask(service, '/metrics', metricsToken), 404, 'NOT_FOUND');
  });
});
