import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessibilityProblems } from '../harness/accessibility.ts';
import { ask, becomes, onSlowScreen, press, twoLines } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

const browser = useBrowser(...silentMicrophone);
let site: Site;
let context: BrowserContext;
let page: Page;
/** Console warnings of the page. */
let warnings: string[];
beforeAll(async () => {
  site = await startSite();
});
const talking = useTalkingService(() => [site.origin]);
const availability = '**/availability?door=browser';
const busy = 'Many people are talking right now. Please try again in a moment.';

beforeEach(async () => {
  context = await onSlowScreen(await browser.open());
  page = await context.newPage();
  warnings = [];
  page.on('console', (line) => line.type() === 'warning' && warnings.push(line.text()));
});
afterEach(async () => {
  await limit(null);
  await context.close();
});
afterAll(() => site?.close());

/** Sets the quota of the project. */
async function limit(sessionsPerDay: number | null): Promise<void> {
  const path = `/admin/projects/${talking.projectId}`;
  const { headers } = await talking.service.admin({ path });
  const { status, text } = await talking.service.admin({
    method: 'PATCH',
    path,
    headers: { 'If-Match': String(headers.etag) },
    body: { limits: { sessionsPerDay } },
  });
  expect(status, text).toBe(200);
}

async function open(attributes: string): Promise<void> {
  const { url } = talking.service;
  site.show(...twoLines(talking.experienceId, url, url.replace('http', 'ws'), attributes));
  await page.goto(site.origin);
}

const start = () => page.getByRole('button', { name: 'Start', exact: true });
const status = () => page.getByRole('status').first().innerText();

test('the start button appears when a session could start, and starts one', async () => {
  const asked: string[] = [];
  let answer = () => {};
  const isReady = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(availability, async (route) => {
    asked.push(route.request().url());
    await isReady;
    await route.continue();
  });
  await open('check');
  await expect.poll(() => asked.length).toBe(1);
  expect(await start().isVisible()).toBe(false);
  expect(await status()).toBe('Getting ready…');
  answer();
  await start().waitFor();
  expect(await status()).toBe('Ready when you are');
  expect(await talking.sessions()).toEqual([]);
  await press(page, 'Start');
  await becomes(page, 'live');
  expect(asked).toEqual([
    `${talking.service.url}/v1/experiences/${talking.experienceId}/availability?door=browser`,
  ]);
  expect(warnings).toEqual([]);
});

test('without the attribute, the player sends no check', async () => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await open('check="false"');
  await start().waitFor();
  expect(asked.filter((path) => path.endsWith('/availability'))).toEqual([]);
});

test('while the quota is used up, the button is disabled; a later check enables it', async () => {
  await limit(0);
  await page.clock.install();
  await open('check');
  await expect.poll(() => page.clock.runFor(1000).then(() => start().isVisible())).toBe(true);
  expect(await start().isDisabled()).toBe(true);
  expect([await status(), await page.locator('.apology').innerText()]).toEqual([busy, busy]);
  expect(warnings).toEqual([expect.stringContaining('QUOTA_EXCEEDED: ')]);
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await ask(page, (one) => one.state)).toBe('idle');
  expect(await ask(page, (one) => one.availability())).toMatchObject({
    available: false,
    code: 'QUOTA_EXCEEDED',
    retryAfter: expect.any(Number),
  });
  await limit(null);
  await page.clock.runFor(36 * 3600 * 1000);
  await expect.poll(() => start().isEnabled()).toBe(true);
  expect(await page.locator('.apology').isVisible()).toBe(false);
});

test('a page in the background sends the check when it becomes visible', async () => {
  await page.addInitScript(`Object.defineProperty(document, 'hidden', { configurable: true, value: true })`);
  let asked = 0;
  await page.route(availability, (route) => {
    asked++;
    return route.continue();
  });
  await open('check');
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
  expect(asked).toBe(0);
  await page.evaluate(`{
    Object.defineProperty(document, 'hidden', { value: false });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
  await start().waitFor();
  expect(asked).toBe(1);
});

test('an experience that cannot be started shows a neutral message, and the console the reason', async () => {
  await page.route(availability, (route) =>
    route.fulfill({
      headers: { 'Access-Control-Allow-Origin': '*' },
      json: { available: false, code: 'EXPERIENCE_NOT_PUBLISHED', message: 'It is a draft.' },
    }),
  );
  await open('check');
  await start().waitFor();
  expect(await start().isDisabled()).toBe(true);
  expect(await page.locator('.apology').innerText()).toBe('This conversation cannot be started right now.');
  expect(warnings).toEqual(['session-launch: EXPERIENCE_NOT_PUBLISHED: It is a draft.']);
});

test('a check without a response does not prevent a start', async () => {
  await page.route(availability, (route) => route.abort());
  await open('check');
  await start().click();
  await becomes(page, 'live');
  expect(warnings).toEqual([expect.stringContaining('NETWORK: The request got no response.')]);
});

test('a start does not wait for the check, and a late response changes nothing', async () => {
  let answer = () => {};
  const isLate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let isAsked = false;
  await page.route(availability, async (route) => {
    isAsked = true;
    await isLate;
    await route.fulfill({
      headers: { 'Access-Control-Allow-Origin': '*' },
      json: { available: false, code: 'CONCURRENCY_LIMIT', message: 'Full.', retryAfter: 5 },
    });
  });
  await open('check');
  await expect.poll(() => isAsked).toBe(true);
  await ask(page, (one) => one.start());
  await becomes(page, 'live');
  const answered = page.waitForResponse(availability);
  answer();
  await answered;
  await ask(page, (one) => one.end());
  await becomes(page, 'ended');
  expect(await page.getByRole('button', { name: 'Start again' }).isEnabled()).toBe(true);
});

test('sources other than a mint of the page are rejected', async () => {
  await open('');
  const create = (options: object) =>
    page.evaluate(`(() => {
      try { SessionLaunch.createExperience({ check: true, ...${JSON.stringify(options)} }); }
      catch (error) { return String(error); }
    })()`);
  const why = 'TypeError: pass experienceId (with door) to ask for availability';
  expect(await create({ experienceId: 'exp_a', relayUrl: '/mint' })).toBe(why);
  expect(await create({ launch: {} })).toBe(why);
  expect(await create({ experienceId: 'exp_a', door: 'public' })).toBe(undefined);
});
