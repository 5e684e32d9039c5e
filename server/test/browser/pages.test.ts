import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useBrowser, watch } from '../harness/browser.ts';
import { applyDemo } from '../harness/demo.ts';
import { useService } from '../harness/service.ts';

const service = useService({ DEMO: 'on' });
const browser = useBrowser();
const screens = [
  { width: 1280, height: 800, colorScheme: 'light' as const },
  { width: 1280, height: 800, colorScheme: 'dark' as const },
  { width: 390, height: 844, colorScheme: 'light' as const },
  { width: 390, height: 844, colorScheme: 'dark' as const },
];

beforeAll(() => applyDemo(service));

describe.each(screens)('$width × $height, $colorScheme', ({ width, height, colorScheme }) => {
  const options = { viewport: { width, height }, colorScheme };

  test('the landing page loads without a complaint, with its art, and fits the screen', async () => {
    const context = await browser.open(options);
    const page = await context.newPage();
    const complaints = await watch(page, service.url);
    await page.goto(service.url, { waitUntil: 'networkidle' });
    expect(await page.title()).toBe('Session launch service');
    const pictures = (await page.evaluate(
      `[...document.images].map((image) => ({ alt: image.getAttribute('alt'), width: image.naturalWidth }))`,
    )) as { alt: string | null; width: number }[];
    expect(pictures.length).toBeGreaterThan(13);
    expect(pictures.filter((picture) => picture.width === 0 || picture.alt === null)).toEqual([]);
    const background = await page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    expect(background).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 29)' : 'rgb(251, 248, 242)');
    expect(await overflows(page)).toBe(false);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('the API reference loads without a complaint, from this service alone', async () => {
    const context = await browser.open(options);
    const page = await context.newPage();
    const complaints = await watch(page, service.url);
    await page.goto(`${service.url}/reference`);
    await page
      .getByRole('heading', { name: 'Mint a session from a page' })
      .first()
      .waitFor({ timeout: 30_000 });
    // It goes on working for a while; what it complains about then counts, too.
    await page.waitForTimeout(1_000);
    expect(await overflows(page)).toBe(false);
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await page.getByText('Authentication').filter({ visible: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

test('the landing page can be used with the keyboard alone', async () => {
  const context = await browser.open();
  const page = await context.newPage();
  await page.goto(service.url);
  await page.keyboard.press('Tab');
  const skip = await page.evaluate(`document.activeElement.textContent`);
  expect(skip).toBe('Skip to the content');
  expect((await page.locator('.skip').boundingBox())?.y).toBeGreaterThanOrEqual(0);
  for (const landmark of ['banner', 'navigation', 'main', 'contentinfo'] as const) {
    expect(await page.getByRole(landmark).count(), landmark).toBe(1);
  }
  await context.close();
});

test('an SVG of the asset folder cannot run script, even opened as a page', async () => {
  const context = await browser.open();
  const page = await context.newPage();
  const answer = await page.goto(`${service.url}/avatars/maren/thumb.svg`);
  expect(answer?.status()).toBe(200);
  expect(await page.evaluate(`self.origin`)).toBe('null');
  await context.close();
});

/** Whether the page is wider than the screen. */
function overflows(page: Page): Promise<unknown> {
  return page.evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`);
}
