import { createServer } from 'node:http';
import { useBrowser } from '@session-launch/testing/browser.ts';
import { listen } from '@session-launch/testing/listen.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { upload } from '../harness/art.ts';
import { svg } from '../harness/pictures.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();

const mark = (name: string) => `document.documentElement.setAttribute('data-${name}', 'ran')`;
const scripted = svg(
  `<script>${mark('script')}</script><rect width="9" height="9"><set attributeName="x" to="1" onbegin="${mark('begin')}"/></rect>`,
  `viewBox="0 0 9 9" onload="${mark('load')}"`,
);
const marks = ['data-script', 'data-begin', 'data-load'];

/** Serves the same file without the policy of the service. */
const careless = createServer((_request, response) => {
  response.setHeader('Content-Type', 'image/svg+xml');
  response.end(scripted);
});
let context: BrowserContext;
let page: Page;
let elsewhere: string;
let path: string;
beforeAll(async () => {
  elsewhere = `http://127.0.0.1:${await listen(careless)}/`;
  const { projectId } = await createWorld(service);
  const answer = await upload(service, projectId, scripted, { type: 'image/svg+xml' });
  expect(answer.status, answer.text).toBe(201);
  path = answer.json.path;
  context = await browser.open();
  page = await context.newPage();
});
afterAll(async () => {
  await context?.close();
  careless.closeAllConnections();
  await new Promise((resolve) => careless.close(resolve));
});

/** The scripts of the opened SVG that have run. */
const ran = (names: string[]) =>
  names.map((name) => page.locator('svg').first().getAttribute(name, { timeout: 60_000 }));

test('an SVG with scripts runs none of them when it is opened', async () => {
  // First without the policy: these scripts do run.
  await page.goto(elsewhere);
  await expect.poll(() => Promise.all(ran(marks))).toEqual(['ran', 'ran', 'ran']);
  for (const base of [service.url, service.adminUrl]) {
    await page.goto(base + path, { waitUntil: 'load' });
    // An animation frame later every handler above would have run.
    await page.screenshot();
    expect(await Promise.all(ran(marks)), base).toEqual([null, null, null]);
  }
});
