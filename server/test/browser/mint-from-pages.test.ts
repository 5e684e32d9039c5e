import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { createWorld, experience, type World } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
let context: BrowserContext;
let allowed: Awaited<ReturnType<typeof startSite>>;
let stranger: typeof allowed;
let neighbour: typeof allowed;
let world: World;
let limited: World;

beforeAll(async () => {
  [allowed, stranger, neighbour] = await Promise.all([startSite(), startSite(), startSite()]);
  const open = { public: true, allowedOrigins: [allowed.origin] };
  world = await createWorld(service, {
    project: { allowedOrigins: [allowed.origin] },
    // The neighbour is on the allowlist of another experience: its preflights succeed, but it must not read other responses.
    experiences: [experience(open), experience({ public: true, allowedOrigins: [neighbour.origin] })],
  });
  limited = await createWorld(service, {
    project: {
      allowedOrigins: [allowed.origin],
      limits: { mintsPerMinutePerClient: 1, mintsPerMinute: null, sessionsPerDay: null },
    },
    experiences: [experience(open)],
  });
  context = await browser.open();
});
afterAll(async () => {
  await context?.close();
  await Promise.all([allowed, stranger, neighbour].map((site) => site?.close()));
});

interface Read {
  status?: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body?: any;
  headers?: Record<string, string>;
  failed?: string;
}

const pages = new Map<string, Page>();

/** One page per site, shared by all tests. */
async function pageOn({ origin }: { origin: string }): Promise<Page> {
  const page = pages.get(origin) ?? (await context.newPage());
  if (!pages.has(origin)) await page.goto(origin);
  pages.set(origin, page);
  return page;
}

/** Sends a mint from a script on the page and returns what the script can read. */
function mint(page: Page, path: string, body: object, headers: Record<string, string> = {}): Promise<Read> {
  return page.evaluate(
    async ({ url, content, more }) => {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...more },
          body: content,
        });
        return {
          status: response.status,
          body: await response.json(),
          headers: Object.fromEntries(response.headers.entries()),
        };
      } catch (error) {
        return { failed: (error as Error).name };
      }
    },
    { url: service.url + path, content: JSON.stringify(body), more: headers },
  );
}

/** Methods of the requests that reach the service, which runs in this process, including preflights. */
function requestsTo(path: string): () => (string | undefined)[] {
  const methods: (string | undefined)[] = [];
  const note = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    if (request.url === path) methods.push(request.method);
  };
  subscribe('http.server.request.start', note);
  return () => {
    unsubscribe('http.server.request.start', note);
    return methods;
  };
}

describe('/v1/browser-sessions', () => {
  const path = '/v1/browser-sessions';

  test('a page on the allowlist mints after a preflight, and a retry replays', async () => {
    const page = await pageOn(allowed);
    const arrived = requestsTo(path);
    const body = { experienceId: world.experienceId };
    const first = await mint(page, path, body, { 'Idempotency-Key': 'page-1' });
    expect(first.status, JSON.stringify(first)).toBe(201);
    expect(first.body.session).toMatchObject({ source: 'browser', origin: allowed.origin, livemode: true });
    expect(first.body.launch.sessionToken).toMatch(/^eyJ/);
    expect(first.headers).toHaveProperty('x-request-id');
    expect(arrived()).toEqual(['OPTIONS', 'POST']);

    const again = await mint(page, path, body, { 'Idempotency-Key': 'page-1' });
    expect(again.body).toEqual(first.body);
    expect(again.headers?.['idempotent-replayed']).toBe('true');
  });

  test('the browser’s language is used when no other is set', async () => {
    const other = await browser.open({ locale: 'pt-BR' });
    const page = await other.newPage();
    await page.goto(allowed.origin);
    const { body } = await mint(page, path, { experienceId: world.experienceId });
    expect(body.session.locale).toBe('pt-BR');
    await other.close();
  });

  test('a page that is not on the allowlist can read the reason of the refusal', async () => {
    const page = await pageOn(stranger);
    const refused = await mint(page, path, { experienceId: world.experienceId }, { 'Idempotency-Key': 'x' });
    expect(refused.status).toBe(403);
    expect(refused.body.error.code).toBe('ORIGIN_NOT_ALLOWED');
    expect(refused.body.error.details.origin).toBe(stranger.origin);
  });

  test('a page can read the time to wait', async () => {
    const page = await pageOn(allowed);
    const body = { experienceId: limited.experienceId };
    const first = await mint(page, path, body);
    expect(first.status).toBe(201);
    expect(first.headers?.ratelimit).toMatch(/^"client";r=0;t=\d+$/);
    const second = await mint(page, path, body);
    expect(second.status).toBe(429);
    expect(second.body.error.code).toBe('RATE_LIMITED');
    expect(Number(second.headers?.['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(second.headers?.['ratelimit-policy']).toBe('"client";q=1;w=60');
  });
});

describe('/v1/public-sessions', () => {
  const path = '/v1/public-sessions';

  test('a page on the allowlist of the experience reads the manifest', async () => {
    const page = await pageOn(allowed);
    const { status, body } = await mint(page, path, { experienceId: world.experienceId });
    expect(status).toBe(200);
    expect(body).toMatchObject({ schemaVersion: 1, sessionToken: expect.stringMatching(/^eyJ/) });
  });

  test('a page can read the time to wait', async () => {
    const own = await createWorld(service, {
      project: { limits: { mintsPerMinutePerClient: 1, mintsPerMinute: null, sessionsPerDay: null } },
      experience: { public: true, allowedOrigins: [allowed.origin] },
    });
    const page = await pageOn(allowed);
    expect((await mint(page, path, { experienceId: own.experienceId })).status).toBe(200);
    const second = await mint(page, path, { experienceId: own.experienceId });
    expect(second).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
    expect(Number(second.headers?.['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test('a page on no allowlist cannot read any response', async () => {
    const page = await pageOn(stranger);
    const body = { experienceId: world.experienceId };
    expect(await mint(page, path, body)).toEqual({ failed: 'TypeError' });
    // Also without a preflight: the browser sends this request directly, but does not expose the response.
    expect(await mint(page, path, body, { 'Content-Type': 'text/plain' })).toEqual({ failed: 'TypeError' });
  });

  test('a page that is only on the allowlist of another experience cannot read any response', async () => {
    const page = await pageOn(neighbour);
    expect(await mint(page, path, { experienceId: world.experienceId })).toEqual({ failed: 'TypeError' });
    // Errors that occur before the experience is known are readable.
    expect((await mint(page, path, {})).body.error.code).toBe('INVALID_REQUEST');
  });
});

test('no page can use routes that need an API key', async () => {
  const page = await pageOn(allowed);
  const headers = { Authorization: `Bearer ${world.key}` };
  expect(await mint(page, '/v1/sessions', { experienceId: world.experienceId }, headers)).toEqual({
    failed: 'TypeError',
  });
});
