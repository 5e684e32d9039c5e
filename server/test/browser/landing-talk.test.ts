import { AxeBuilder } from '@axe-core/playwright';
import { useBrowser, watch } from '@session-launch/testing/browser.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTalkingService } from '../harness/talking-service.ts';

const talking = useTalkingService(() => []);
const browser = useBrowser('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream');
const screens = [
  { width: 1280, height: 800, colorScheme: 'light' as const },
  { width: 390, height: 844, colorScheme: 'dark' as const },
];

const player = (page: Page) => page.locator('.session-launch-player .player');
const isIn = (page: Page, mode: string) =>
  player(page)
    .and(page.locator(`[data-mode=${mode}]`))
    .waitFor();

/** What a screen reader, or someone with weak eyes, would stumble over. */
async function obstacles(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).include('.session-launch-player').analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe.each(screens)('$width × $height, $colorScheme', ({ width, height, colorScheme }) => {
  const options = { viewport: { width, height }, colorScheme, locale: 'en-US', permissions: ['microphone'] };

  test('a press on Start of a card, and the character talks in its place', async () => {
    const context = await browser.open(options);
    const page = await context.newPage();
    const complaints = await watch(page, talking.service.url);
    await page.goto(talking.service.url);
    await page.getByRole('button', { name: 'Start Sunrise Round the Harbor' }).click();
    await isIn(page, 'speaking');
    await page
      .getByRole('log', { name: 'Conversation' })
      .getByText('Maren', { exact: false })
      .first()
      .waitFor();
    expect(await obstacles(page)).toEqual([]);
    await isIn(page, 'listening');
    expect(await obstacles(page)).toEqual([]);
    expect(await page.evaluate(`document.documentElement.scrollWidth > innerWidth`)).toBe(false);
    await page.keyboard.press('Escape');
    await page.locator('.card.talking').waitFor({ state: 'detached' });
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe(
      'Start Sunrise Round the Harbor',
    );
    expect(complaints).toEqual([]);
    await context.close();
  });
});

test.each([
  ['Start Market Day with Mateo', '.figure'],
  ['Start Night Train to Anywhere', '.figure'],
  ['Start The Sky Tonight', '.figure'],
  ['Start The Late Line', '.wave'],
  ['Start Wren, Pip and the Glasshouse', '.figure + .figure'],
  ['Start Rain at the Tea House', '.said[lang=ja]'],
])('%s works as what it is', async (name, sign) => {
  const context = await browser.open({ locale: 'en-US', permissions: ['microphone'] });
  const page = await context.newPage();
  const complaints = await watch(page, talking.service.url);
  await page.goto(talking.service.url);
  await page.getByRole('button', { name }).click();
  await isIn(page, 'speaking');
  await page.locator('.line.character .said').first().waitFor();
  await page.locator(sign).first().waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
