import { useBrowser } from '@session-launch/testing/browser.ts';
import { createKey, createWorld, experience, mintFromServer } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleTab, inspect, openConsole } from '../harness/console.ts';
import { createOperator } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();

const titles = {
  markup: '<b id="injected">Bold</b> &amp; <img src=x onerror=alert(1)> "quotes"',
  rightToLeft: 'دليل المرفأ القديم (1) \u202Eabc',
  emoji: '👩🏽‍🚀🏳️‍🌈 Zoë’s 日本語 guide',
  long: 'Wortungetüm'.repeat(19).slice(0, 200),
};
const routes = [
  'overview',
  'experiences',
  'keys',
  'embeds',
  'webhooks',
  'sessions',
  'limits',
  'activity',
  '/team',
  '/system',
];
let projectId: string;
let context: BrowserContext;
let tab: ConsoleTab;

beforeAll(async () => {
  const world = await createWorld(service, {
    project: { name: titles.long },
    experiences: Object.values(titles).map((title) => experience({ title })),
  });
  projectId = world.projectId;
  for (const name of Object.values(titles)) {
    await createKey(service, projectId, { name: name.slice(0, 100) });
    await createOperator(service, { name: name.slice(0, 100) });
  }
  for (const name of Object.values(titles))
    await service.admin({
      method: 'POST',
      path: `/admin/projects/${projectId}/webhooks`,
      body: { url: `https://shop.example/${'long'.repeat(400)}`, events: ['session.ended'], name },
    });
  await createWorld(service, { project: { name: titles.markup } });
  await mintFromServer(service, world.key, { experienceId: world.experienceId, userId: 'u'.repeat(120) });
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  tab = await openConsole(context, service);
});
afterAll(() => context?.close());

const show = (route: string) => tab.show(route.startsWith('/') ? route : `/${projectId}/${route}`);

/** Elements that need sideways scrolling, except for code, which scrolls on purpose. */
const tooWide = (page: Page) =>
  page.evaluate<
    string[]
  >(`[document.documentElement, ...document.querySelectorAll('main *, .side *, dialog *')]
    .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
    .filter((one) => !one.closest('pre, select, input, .hidden-text, .chart, thead'))
    .filter((one) => ['auto', 'scroll', 'visible'].includes(getComputedStyle(one).overflowX))
    .filter((one) => getComputedStyle(one).display !== 'inline')
    .map((one) => one.tagName + '.' + one.className + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`);

test('titles with markup, right-to-left text, emoji and 200 characters are shown as they are', async () => {
  const { page } = tab;
  await show('experiences');
  for (const title of Object.values(titles))
    await expect
      .poll(() => page.getByRole('link', { name: title, exact: true }).count(), { message: title })
      .toBe(1);
  await expect.poll(() => page.locator('#injected').count()).toBe(0);
  await show('keys');
  for (const name of Object.values(titles))
    await expect
      .poll(() => page.locator('bdi', { hasText: name.slice(0, 100) }).count(), { message: name })
      .toBe(1);
  // The switcher truncates the name; the whole one is its description and in the list.
  const switcher = page.getByLabel('Project', { exact: true });
  await expect.poll(() => switcher.getAttribute('title')).toBe(titles.long);
  await expect.poll(() => switcher.locator('option').allInnerTexts()).toContain(titles.markup);
  await page.keyboard.press('Control+k');
  const found = tab.dialog('Jump to').getByRole('link');
  await found.filter({ hasText: titles.rightToLeft }).filter({ hasText: 'exp_' }).waitFor();
  await inspect(page, 'jump-titles');
  await page.keyboard.press('Escape');
  expect(tab.complaints).toEqual([]);
});

test.each([
  { name: 'on a desktop', width: 1280 },
  { name: 'on a desktop at 200 % zoom', width: 640 },
  { name: 'on a phone', width: 390 },
])(
  'with such titles nothing needs sideways scrolling $name, and nothing moves by itself',
  async ({ width }) => {
    const { page } = tab;
    await page.setViewportSize({ width, height: 800 });
    for (const route of routes) {
      await show(route);
      expect(await tooWide(page), `${route} at ${width}`).toEqual([]);
      const moving = `[...document.querySelectorAll('*')].filter((one) => {
      const { animationName, transitionDuration } = getComputedStyle(one);
      return animationName !== 'none' || transitionDuration !== '0s';
    }).length`;
      expect(await page.evaluate(moving), route).toBe(0);
      if (process.env.SCREENSHOTS) await inspect(page, `titles-${route.replace('/', '')}-${width}`);
    }
    expect(tab.complaints).toEqual([]);
  },
);

test('at 200 % zoom the menu opens and leads to every screen', async () => {
  const zoomed = await browser.open({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  const { page } = await openConsole(zoomed, service);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'System', exact: true }).click();
  await page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
  expect(await tooWide(page)).toEqual([]);
  await zoomed.close();
});
