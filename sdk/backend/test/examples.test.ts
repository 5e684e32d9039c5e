import { fileURLToPath } from 'node:url';
import { startApplication } from '@session-launch/testing/application.ts';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { send } from '@session-launch/testing/http.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';

const service = deployedService();
let world: World;

beforeAll(async () => {
  world = await createWorld(service);
});

test.each(['backend-express', 'backend-fastify', 'backend-fetch'])(
  'examples/%s: a page launches through its relay and ends the session on leaving',
  async (name) => {
    const folder = fileURLToPath(new URL(`../../../examples/${name}/`, import.meta.url));
    const { url, output } = await startApplication(folder, ['server.js'], {
      LAUNCH_URL: service.url,
      LAUNCH_KEY: world.key,
      LAUNCH_PROJECT: world.projectId,
    });
    const page = await send(url, { path: '/' });
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.text).toContain(`<script src="${service.url}/sdk/v2/session-launch.js">`);
    const cookie = page.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const headers = { Cookie: cookie, Origin: url, 'Sec-Fetch-Site': 'same-origin' };

    const catalog = await send(url, { path: '/api/catalog', headers });
    expect(catalog.json.experiences).toMatchObject([{ experienceId: world.experienceId }]);

    const launch = (more: Record<string, string>) =>
      send(url, {
        method: 'POST',
        path: '/api/launch',
        headers: { 'Idempotency-Key': 'click', ...more },
        body: { experienceId: world.experienceId, locale: 'fr-CA' },
      });
    const launched = await launch(headers);
    expect(launched.status, launched.text).toBe(200);
    expect(launched.json).toMatchObject({
      locale: 'fr-CA',
      user: { userId: cookie.replace('visitor=', '') },
    });
    expect((await launch(headers)).json.sessionId).toBe(launched.json.sessionId);
    expect((await launch({ Origin: url })).status).toBe(401);
    expect((await launch({ Cookie: cookie, Origin: 'https://evil.example' })).status).toBe(403);
    // Preflights reach the relay, which checks its own list of origins.
    const preflight = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
    for (const path of ['/api/launch', '/api/leave', '/api/catalog']) {
      const refused = await send(url, { method: 'OPTIONS', path, headers: preflight });
      expect([refused.status, refused.json.error.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
    }

    const beacon = { ...headers, 'Content-Type': 'text/plain;charset=UTF-8' };
    const left = await send(url, {
      method: 'POST',
      path: '/api/leave',
      headers: beacon,
      body: launched.json.sessionToken,
    });
    expect(left.status).toBe(204);
    for (const text of [page.text, catalog.text, launched.text, output()])
      expect(text).not.toContain(world.key);
  },
);
