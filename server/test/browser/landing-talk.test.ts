import { useBrowser, watch } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityProblems } from '../harness/accessibility.ts';
import { meter, speaks } from '../harness/speaking.ts';
import { focusedControl, walk } from '../harness/tab-walk.ts';
import { isIn, onSlowScreen, press } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

const talking = useTalkingService(() => []);
const browser = useBrowser(...silentMicrophone);
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  context = await onSlowScreen(await browser.open({ locale: 'en-US', permissions: ['microphone'] }));
  await context.addInitScript(meter);
  page = await context.newPage();
  complaints = await watch(page, talking.service.url);
  await page.goto(talking.service.url);
});
afterAll(() => context?.close());

test('one press on the first screen starts a conversation with sound; Escape returns to the button', async () => {
  const talk = page.getByRole('button', { name: 'Talk with Maren', exact: true });
  await talk.click();
  await speaks(page);
  await expect.poll(() => page.locator('.stage-card.talking .session-launch-player').count()).toBe(1);
  expect(await accessibilityProblems(page, '.stage-card')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.locator('.stage-card.talking').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(`document.activeElement.textContent`)).toBe('Talk with Maren');
  expect(complaints).toEqual([]);
});

test('Start on a card starts the conversation in its place; Escape returns to the card', async () => {
  const start = 'Start Sunrise Round the Harbor';
  await press(page, start);
  await isIn(page, 'speaking');
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.getByText('Maren', { exact: false }).first().waitFor();
  expect(await accessibilityProblems(page, '.session-launch-player')).toEqual([]);
  await isIn(page, 'listening');
  expect(await accessibilityProblems(page, '.session-launch-player')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.locator('.card.talking').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe(start);
  expect(complaints).toEqual([]);
});

test('Tab moves from a card into its player, through every control, and on to the next card', async () => {
  await page.getByRole('button', { name: 'Start Sunrise Round the Harbor' }).press('Enter');
  await isIn(page, 'listening');
  await expect.poll(() => focusedControl(page)).toMatch(/^group /);
  const stops = await walk(page, 'Tab', 'button Start Market Day with Mateo');
  const names = stops.map(({ control }) => control);
  expect(names).toEqual(
    expect.arrayContaining([
      'log Conversation',
      'textbox Write a message',
      'button Send',
      'button End the conversation',
    ]),
  );
  expect(stops.filter(({ isVisible }) => !isVisible)).toEqual([]);
  const back = await walk(page, 'Shift+Tab', 'log Conversation');
  expect(back.at(-1)?.control).toBe(names[1]);
  expect(complaints).toEqual([]);
});

// All on one page: a click on another card ends the previous conversation.
test.each([
  ['Start Market Day with Mateo', '.figure'],
  ['Start Night Train to Anywhere', '.figure'],
  ['Start The Sky Tonight', '.figure'],
  ['Start The Late Line', '.wave'],
  ['Start Wren, Pip and the Glasshouse', '.figure + .figure'],
  ['Start Rain at the Tea House', '.said[lang=ja]'],
])('%s opens the player that its experience needs', async (name, sign) => {
  await press(page, name);
  await page
    .locator('.card.talking', { has: page.getByRole('button', { name, includeHidden: true }) })
    .waitFor();
  await isIn(page, 'speaking');
  await page.locator('.line.character .said').first().waitFor();
  await page.locator(sign).first().waitFor();
  await expect.poll(() => page.locator('.session-launch-player').count()).toBe(1);
  expect(complaints).toEqual([]);
});
