import { useBrowser } from '@session-launch/testing/browser.ts';
import { expect, test } from 'vitest';
import { inspect, keepToasts, openConsole } from '../harness/console.ts';
import { useService } from '../harness/service.ts';
import { focusedControl } from '../harness/tab-walk.ts';

const service = useService();
const browser = useBrowser();

/** The parts whose states the page shows, by the selectors of their elements. */
const parts = {
  'primary button': '.button.primary',
  'dangerous button': '.button.danger',
  'plain button': '.button.plain',
  'disabled button': '.button:disabled',
  'busy button': '.button[aria-disabled=true]',
  'field with help': '.field .help',
  'field with a problem': '.field [aria-invalid=true]',
  'disabled field': '.field input:disabled',
  'text area': '.field textarea',
  select: '.field select',
  checkboxes: '.choices input[type=checkbox]',
  radios: '.choices input[type=radio]',
  badges: '.badge.good, .badge.warn, .badge.bad',
  'text to copy': '.copy pre',
  table: '.table tbody th',
  chart: 'svg.chart',
  loading: '.loading',
  'empty state': '.notice',
  failure: '.notice.bad[role=alert]',
  banner: '.banner',
  tabs: '.tabs [aria-current=page]',
  'relative time': 'time[title]',
};

test('the page of parts shows every part in every state, accessibly, in light and dark', async () => {
  const context = await browser.open({ viewport: { width: 1280, height: 800 } });
  const tab = await openConsole(context, service);
  const { page, button, dialog } = tab;
  await page.goto(`${service.adminUrl}/console/#/parts`);
  await page.getByRole('heading', { name: 'Parts', level: 1 }).waitFor();
  await button('Busy').click();
  for (const [name, selector] of Object.entries(parts))
    await expect
      .poll(() => page.locator('main').locator(selector).count(), { message: name })
      .toBeGreaterThan(0);

  await inspect(page, 'parts');
  const pictures = new Set<string>();
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const picture = await page.screenshot({ fullPage: true });
      expect(picture.length).toBeGreaterThan(20_000);
      pictures.add(picture.toString('base64'));
    }
  // Each width and colour scheme gives another picture.
  expect(pictures.size).toBe(4);

  await page.setViewportSize({ width: 1280, height: 800 });
  await button('Dangerous').click();
  await dialog('Delete it?').waitFor();
  await inspect(page, 'parts-dialog');
  await button('Cancel').click();
  // A further message leaves the focus in the first one; when that one is dismissed, the focus returns.
  await page.evaluate(keepToasts);
  await button('Toast').click();
  await button('Undo').focus();
  await button('Toast').evaluate((one) => (one as unknown as { click(): void }).click());
  await expect.poll(() => button('Undo').count()).toBe(2);
  await expect.poll(() => focusedControl(page)).toBe('button Undo');
  await page.keyboard.press('Enter');
  await expect.poll(() => button('Undo').count()).toBe(1);
  await expect.poll(() => focusedControl(page)).toBe('button Toast');
  await button('Failing').click();
  await page.getByText('This failed on purpose.').waitFor();
  await inspect(page, 'parts-toasts');
  expect(tab.complaints).toEqual([]);
  await context.close();
});
