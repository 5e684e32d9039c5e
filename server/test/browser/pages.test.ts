import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBrowser, watch } from '@session-launch/testing/browser.ts';
import { applyDemo } from '@session-launch/testing/demo.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessibilityProblems } from '../harness/accessibility.ts';
import { type Service, startService, useService } from '../harness/service.ts';

const service = useService({ DEMO: 'on' });
const browser = useBrowser();
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
const schemes = ['light', 'dark'] as const;

/** One page for all tests, so that it loads and compiles the scripts only once. */
let context: BrowserContext;
let page: Page;
let complaints: string[];
beforeAll(async () => {
  await applyDemo(service);
  context = await browser.open();
  await context.addInitScript(shiftMeter);
  page = await context.newPage();
  complaints = await watch(page, service.url);
});
beforeEach(() => {
  complaints.length = 0;
});
afterAll(() => context?.close());

describe.each([desktop, phone])('$width × $height', (size) => {
  test('the landing page loads without errors, with its art, and fits the screen in both colour schemes', async () => {
    await page.setViewportSize(size);
    await page.goto(service.url, { waitUntil: 'networkidle' });
    await expect.poll(() => page.title()).toBe('Session launch service');
    await loadsWell(page);
    // Pictures below the first screen are loaded when they come near.
    await page.evaluate(`for (const image of document.images) image.loading = 'eager'`);
    await page.waitForLoadState('networkidle');
    await expect
      .poll(() => page.evaluate(`[...document.images].every(({ complete }) => complete)`))
      .toBe(true);
    const pictures = (await page.evaluate(
      `[...document.images].map((image) => ({ alt: image.getAttribute('alt'), width: image.naturalWidth }))`,
    )) as { alt: string | null; width: number }[];
    expect(pictures.length).toBeGreaterThan(15);
    expect(pictures.filter((picture) => picture.width === 0 || picture.alt === null)).toEqual([]);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const background = await page.evaluate(`getComputedStyle(document.body).backgroundColor`);
      expect(background).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 29)' : 'rgb(251, 248, 242)');
      expect(await overflows(page), colorScheme).toBe(false);
    }
    expect(complaints).toEqual([]);
  });
});

test('the landing page and the documentation are accessible', async () => {
  for (const path of ['/', '/docs/', '/docs/configuration']) {
    await page.goto(service.url + path);
    expect(await accessibilityProblems(page, 'body'), path).toEqual([]);
  }
  expect(complaints).toEqual([]);
});

test('the filters of the gallery work with the keyboard, and say how many experiences are shown', async () => {
  await page.setViewportSize(desktop);
  await page.goto(service.url);
  const shown = () => page.locator('.card:visible').count();
  const status = page.getByRole('group', { name: 'Filter the experiences' }).getByRole('status');
  await expect.poll(() => shown()).toBe(7);
  await page.getByRole('radio', { name: 'All' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('radio', { name: 'Explore' }).isChecked()).toBe(true);
  await expect
    .poll(async () => [await status.textContent(), await shown()])
    .toEqual(['1 of 7 experiences', 1]);
  await page.keyboard.press('ArrowLeft');
  await page.getByLabel('Interaction').selectOption('Conversation');
  await expect
    .poll(async () => [await status.textContent(), await shown()])
    .toEqual(['3 of 7 experiences', 3]);
  await page.getByRole('button', { name: 'Show all' }).press('Enter');
  await expect.poll(async () => [await status.textContent(), await shown()]).toEqual(['7 experiences', 7]);
  await expect.poll(() => page.evaluate(`document.activeElement.name`)).toBe('purpose');
  expect(complaints).toEqual([]);
});

describe('the documentation', () => {
  test('fits a phone, loads without moving, and its menus open', async () => {
    await page.setViewportSize(phone);
    for (const path of ['', 'contract', 'console', 'operations', 'decisions/0001-two-engines']) {
      await page.goto(`${service.url}/docs/${path}`, { waitUntil: 'networkidle' });
      expect(await overflows(page), path).toBe(false);
      await loadsWell(page);
    }
    const menu = page.getByRole('navigation', { name: 'Documentation' });
    await expect.poll(() => menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await menu.getByRole('link', { name: 'Quick start' }).click();
    await page.getByRole('heading', { name: 'Tutorial: quick start', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('the search is used with the keyboard alone', async () => {
    await page.setViewportSize(desktop);
    await page.goto(`${service.url}/docs/decisions/`);
    await page.keyboard.press('/');
    await page.keyboard.type('backups');
    const options = page.getByRole('option');
    await options.first().waitFor();
    await expect.poll(() => page.locator('[aria-selected=true]').textContent()).toContain('Backups');
    await page.keyboard.press('Escape');
    await options.first().waitFor({ state: 'detached' });
    await page.keyboard.press('Backspace');
    await options.nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => options.nth(1).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/docs/operations#backups`);
    await page.keyboard.press('/');
    await page.keyboard.type('zzz');
    await page.getByText('No heading contains').waitFor();
    expect(complaints).toEqual([]);
  });
});

test('the API reference loads without errors, from this service alone, and fits a desktop and a phone', async () => {
  await page.setViewportSize(desktop);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${service.url}/reference`);
  // The first operations appear early, the last one when everything has been fetched and rendered.
  for (const name of ['Mint a session from a page', 'Check whether sessions can be minted']) {
    await page.getByRole('heading', { name }).first().waitFor({ state: 'attached', timeout: 120_000 });
  }
  // An error response that operations share in the document.
  await page.getByText('A valid API key is required').first().waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  await looksRight();
  // The page is large, so it is not reloaded.
  await page.setViewportSize(phone);
  await page.emulateMedia({ colorScheme: 'dark' });
  await looksRight();
  expect(complaints).toEqual([]);

  async function looksRight(): Promise<void> {
    await expect.poll(() => overflows(page)).toBe(false);
    await expect.poll(() => page.getByRole('main').count()).toBe(1);
    await expect.poll(() => page.getByText('Authentication').filter({ visible: true }).count()).toBe(0);
  }
});

test('the landing page can be used with the keyboard alone', async () => {
  await page.setViewportSize(desktop);
  await page.goto(service.url);
  await page.keyboard.press('Tab');
  const skip = await page.evaluate(`document.activeElement.textContent`);
  expect(skip).toBe('Skip to the content');
  expect((await page.locator('.skip').boundingBox())?.y).toBeGreaterThanOrEqual(0);
  for (const landmark of ['banner', 'navigation', 'main', 'contentinfo'] as const) {
    await expect.poll(() => page.getByRole(landmark).count(), { message: landmark }).toBe(1);
  }
});

describe('an SVG with a script in it', () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" onload="document.documentElement.setAttribute('data-loaded', '')">
<script>document.documentElement.setAttribute('data-ran', '')</script>
</svg>`;
  let folder: string;
  let gallery: Service;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'session-launch-art-'));
    await mkdir(join(folder, 'avatars'));
    await mkdir(join(folder, 'locations'));
    await writeFile(join(folder, 'avatars', 'scripted.svg'), svg);
    gallery = await startService({ ASSETS_DIR: folder }, service);
  });
  afterAll(async () => {
    await gallery?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function marksOf(address: string): Promise<{ status: number | undefined; marks: unknown }> {
    const answer = await page.goto(address, { waitUntil: 'load' });
    const marks = await page.evaluate(`Object.keys(document.documentElement.dataset).sort()`);
    return { status: answer?.status(), marks };
  }

  test('runs when nothing forbids it', async () => {
    const { marks } = await marksOf(`data:image/svg+xml,${encodeURIComponent(svg)}`);
    expect(marks).toEqual(['loaded', 'ran']);
  });

  test('of the asset folder cannot run, even opened as a page', async () => {
    expect(await marksOf(`${gallery.url}/avatars/scripted.svg`)).toEqual({ status: 200, marks: [] });
  });
});

/** Whether the page is wider than the viewport. */
function overflows(page: Page): Promise<unknown> {
  return page.evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`);
}

/** Adds up how far the page moves while it loads. */
const shiftMeter = `{
  window.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value;
  }).observe({ type: 'layout-shift', buffered: true });
}`;

/** Checks layout shift and first contentful paint. The bound of the paint is for a loaded machine. */
async function loadsWell(page: Page): Promise<void> {
  const { shift, paint } = await page.evaluate<{ shift: number; paint: number | undefined }>(`({
    shift: window.layoutShift,
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  })`);
  console.log(
    `${new URL(page.url()).pathname}: first contentful paint ${Math.round(paint ?? -1)} ms, shift ${shift}`,
  );
  expect(shift).toBeLessThanOrEqual(0.05);
  expect(paint).toBeLessThan(20_000);
}
