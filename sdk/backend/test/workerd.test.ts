import { deployedService } from '@session-launch/testing/deployment.ts';
import { send } from '@session-launch/testing/http.ts';
import { createWorld, sessionsOf } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { startWorker } from './worker.ts';

const service = deployedService();

test('in workerd, relays, serves its catalog, verifies and ends', async () => {
  const { projectId, key, experienceId } = await createWorld(service);
  const url = await startWorker({ launchUrl: service.url, launchKey: key, projectId });
  const page = await send(url, { path: '/' });
  expect(page.text).toBe(`SDK: ${service.url}`);
  const cookie = page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const headers = { Cookie: cookie, Origin: url };
  const launch = (more: Record<string, string> = headers) =>
    send(url, {
      method: 'POST',
      path: '/api/launch',
      headers: { 'Idempotency-Key': 'click', ...more },
      body: { experienceId },
    });
  // Concurrent, so that the requests use the shared state of the relay at the same time.
  const launched = await Promise.all([launch(), launch(), launch()]);
  expect(launched.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { sessionId, sessionToken } = launched[0]!.json;
  expect(await sessionsOf(service, projectId)).toMatchObject([{ sessionId }]);
  expect((await launch({ Origin: url })).status).toBe(401);
  expect((await launch({ Cookie: cookie, Origin: 'https://evil.example' })).status).toBe(403);

  const catalog = () => send(url, { path: '/api/catalog', headers });
  for (const { status, json } of await Promise.all([catalog(), catalog(), catalog()])) {
    expect(status).toBe(200);
    expect(json.experiences).toMatchObject([{ experienceId }]);
  }
  const verify = (body: string) =>
    send(url, { method: 'POST', path: '/verify', headers: { 'Content-Type': 'text/plain' }, body });
  const verified = await Promise.all([verify(sessionToken), verify(sessionToken), verify('nonsense')]);
  expect(verified.map(({ json }) => json.sub ?? json.code)).toEqual([sessionId, sessionId, 'MALFORMED']);
  expect(verified[0]!.json.has).toEqual(['undefined', 'undefined', 'undefined']);
  const left = await send(url, { method: 'POST', path: '/api/leave', headers, body: sessionToken });
  expect(left.status, left.text).toBe(204);
  expect(await sessionsOf(service, projectId)).toMatchObject([{ status: 'ended' }]);
  for (const { text } of [page, ...launched, await catalog()]) expect(text).not.toContain(key);
});
