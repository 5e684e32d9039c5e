import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createRelay, type RelayOptions, SessionLaunch, toNode } from '@session-launch/backend';
import { type Site, startSite, useBrowser, watch } from '@session-launch/testing/browser.ts';
import { promptedMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { listen } from '@session-launch/testing/listen.ts';
import { createKey } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { onSlowScreen } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

let site: Site;
let other: Site;
beforeAll(async () => {
  [site, other] = await Promise.all([startSite(), startSite()]);
});
const talking = useTalkingService(() => []);
const browser = useBrowser(...promptedMicrophone);
let context: BrowserContext;
let key: string;
beforeAll(async () => {
  context = await onSlowScreen(await browser.open());
  ({ key } = await createKey(talking.service, talking.projectId));
});
afterAll(async () => {
  await context?.close();
  await site?.close();
  await other?.close();
});

/** Uses another host name than the pages, so that requests are also cross-site. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://localhost:${port}`;
}

interface RelaySite {
  url: string;
  /** Method, path and status of every request that was answered. */
  answered: string[];
}

/** Starts a relay for pages of `site` that identifies visitors by a header. */
async function startRelay(baseUrl: string, options: Partial<RelayOptions> = {}): Promise<RelaySite> {
  const client = new SessionLaunch({ baseUrl, apiKey: key, maxRetryWaitMs: 1, log: () => {} });
  const relay = createRelay(client, {
    authorize: ({ headers }) => (headers.get('Authorization') === 'Bearer ann' ? { userId: 'ann' } : null),
    origins: [site.origin],
    ...options,
  });
  const [mint, end] = [toNode(relay.mint), toNode(relay.end)];
  const answered: string[] = [];
  const url = await serve((request, response) => {
    response.on('finish', () => answered.push(`${request.method} ${request.url} ${response.statusCode}`));
    void (request.url === '/launch' ? mint : end)(request, response);
  });
  return { url, answered };
}

/** Opens a page whose experience launches through a relay, and starts it. Returns the error with which `start()` rejects. */
async function start(on: Site, { url }: RelaySite, visitor = 'ann'): Promise<{ page: Page; error: unknown }> {
  on.show(`<script src="${talking.service.url}/sdk/v2/session-launch.js"></script>`);
  const page = await context.newPage();
  onTestFinished(() => page.close());
  await page.goto(on.origin);
  const error = await page.evaluate(`(async () => {
    window.experience = SessionLaunch.createExperience({
      experienceId: '${talking.experienceId}',
      relayUrl: '${url}/launch',
      leaveUrl: '${url}/leave',
      relayInit: () => ({ headers: { Authorization: 'Bearer ${visitor}' } }),
      locale: 'en',
      speechInputMode: 'off',
    });
    return experience.start().then(() => null, ({ code, status, requestId, details }) => ({ code, status, requestId, details }));
  })()`);
  return { page, error };
}

test('a page launches through a relay of another origin, talks, and ends the session by a beacon', async () => {
  const relay = await startRelay(talking.service.url);
  const { page, error } = await start(site, relay);
  expect(error).toBeNull();
  const complaints = await watch(page, talking.service.url);
  await page.waitForFunction(`experience.messages.some(({ text }) => text.includes('harbor'))`);
  expect(relay.answered).toEqual(['OPTIONS /launch 204', 'POST /launch 200']);
  const [session] = await talking.sessions();
  expect(session).toMatchObject({ source: 'server', status: 'active', userId: 'ann' });
  await page.goto('about:blank');
  await expect.poll(() => relay.answered.slice(2)).toEqual(['POST /leave 204']);
  await expect.poll(async () => (await talking.sessions())[0].status).toBe('ended');
  expect(complaints.filter((one) => !one.startsWith('outside request'))).toEqual([]);
});

test('a page of a listed origin can read why a relay refuses', async () => {
  const relay = await startRelay(talking.service.url);
  const { error } = await start(site, relay, 'eve');
  expect(error).toMatchObject({
    code: 'UNAUTHORIZED',
    status: 401,
    requestId: expect.stringMatching(/^req_/),
  });
});

test('a page of an unlisted origin sends a relay only a preflight, and reads nothing', async () => {
  const relay = await startRelay(talking.service.url);
  const { error } = await start(other, relay);
  expect(error).toEqual({ code: 'NETWORK' });
  expect(new Set(relay.answered)).toEqual(new Set(['OPTIONS /launch 403']));
});

test('one start sends the service three requests while it answers 503', async () => {
  let received = 0;
  const down = await serve((_request, response) => {
    received++;
    response.writeHead(503, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'UNAVAILABLE', message: 'Later.', requestId: 'req_1' } }));
  });
  const relay = await startRelay(down);
  const { error } = await start(site, relay);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 503, details: { attempts: 3 } });
  expect(received).toBe(3);
});
