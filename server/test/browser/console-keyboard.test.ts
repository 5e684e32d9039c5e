import { useBrowser } from '@session-launch/testing/browser.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld, mintFromServer, pageOrigin } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { type ConsoleTab, keptSecrets, openConsole, openTab } from '../harness/console.ts';
import { useService } from '../harness/service.ts';
import { focusedControl, walk } from '../harness/tab-walk.ts';

const service = useService();
const browser = useBrowser();

/** Presses Tab until the control has the focus. Everything on the way must show that it has the focus. */
async function tabTo({ page }: ConsoleTab, control: string): Promise<void> {
  const stops = await walk(page, 'Tab', control);
  expect(stops.filter(({ isVisible }) => !isVisible)).toEqual([]);
}

async function press(tab: ConsoleTab, control: string): Promise<void> {
  await tabTo(tab, control);
  await tab.page.keyboard.press('Enter');
}

const heading = ({ page }: ConsoleTab, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

test('signs in, creates a key, allows an origin and ends a session with the keyboard alone', async () => {
  const { projectId, experienceId, key } = await createWorld(service);
  const { session } = (await mintFromServer(service, key, { experienceId })).json;
  const context = await browser.open({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const tab = await openTab(context, service.adminUrl);
  const { page } = tab;

  await tab.field('Token').waitFor();
  await expect.poll(() => focusedControl(page)).toBe('textbox Token');
  await page.keyboard.type(adminToken);
  await page.keyboard.press('Enter');
  await heading(tab, 'Overview');

  await press(tab, 'link Keys');
  await heading(tab, 'Keys');
  await tab.button('Create key').waitFor();
  await press(tab, 'button Create key');
  await tab.dialog('Create key').waitFor();
  await expect.poll(() => focusedControl(page)).toBe('textbox Name');
  await page.keyboard.type('by keyboard');
  // Pressed twice, it is sent once.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await tab.dialog('Your new key').waitFor();
  const [shown = ''] = (await page.locator('dialog pre').first().innerText()).match(/sl_test_\w+/) ?? [];
  expect(await keptSecrets(page, shown)).toEqual([]);
  await expect.poll(() => focusedControl(page)).toBe('button Copy key');
  await page.keyboard.press('Enter');
  await press(tab, 'button Done');
  await tab.dialog('Your new key').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(shown);
  await expect.poll(() => focusedControl(page)).toBe('button Create key');
  const { keys } = await askAdmin(service, 'GET /admin/projects/{projectId}/keys', { params: { projectId } });
  expect(keys.filter(({ name }: { name?: string }) => name === 'by keyboard')).toHaveLength(1);

  // Ctrl+K, without passing the navigation again.
  await page.keyboard.press('Control+k');
  await tab.dialog('Jump to').getByRole('link', { name: 'Embeds' }).waitFor();
  await page.keyboard.type('embeds');
  await page.keyboard.press('Enter');
  await heading(tab, 'Embeds');
  await tab.field('Allow origin').waitFor();
  await tabTo(tab, 'textbox Allow origin');
  await page.keyboard.type('https://shop.example');
  await page.keyboard.press('Enter');
  await page.getByText('Pages on https://shop.example may now start sessions.').waitFor();
  // After the removal of an entry, the focus is on the next one, and after the last one on the field that adds another.
  await tab.button(`Remove ${pageOrigin}`).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => focusedControl(page)).toBe('button Remove https://shop.example');
  await page.keyboard.press('Enter');
  await expect.poll(() => focusedControl(page)).toBe('textbox Allow origin');

  // The link at the top leads past the navigation.
  await page.keyboard.press('Control+k');
  await tab.dialog('Jump to').getByRole('link', { name: 'Sessions' }).waitFor();
  await page.keyboard.type('sessions');
  await page.keyboard.press('Enter');
  await heading(tab, 'Sessions');
  await page.getByRole('link', { name: session.sessionId }).waitFor();
  await press(tab, `link ${session.sessionId}`);
  await heading(tab, session.sessionId);
  await tab.button('End').waitFor();
  await press(tab, 'button End');
  await tab.dialog('End this session?').waitFor();
  await page.keyboard.press('Escape');
  await tab.dialog('End this session?').waitFor({ state: 'detached' });
  await expect.poll(() => focusedControl(page)).toBe('button End');
  await page.keyboard.press('Enter');
  await press(tab, 'button End session');
  await page.getByText('Expired').or(page.getByText('Ended: on request')).waitFor();

  await page.keyboard.press('?');
  await tab.dialog('Keyboard').waitFor();
  await page.keyboard.press('Escape');
  expect(tab.complaints).toEqual([]);
  await context.close();
});

test('the first Tab leads to a link that skips the navigation', async () => {
  const context = await browser.open({ viewport: { width: 1280, height: 800 } });
  const tab = await openTab(context, service.adminUrl);
  await tab.field('Token').fill(adminToken);
  await tab.page.keyboard.press('Enter');
  await heading(tab, 'Overview');
  await tab.page.reload();
  await heading(tab, 'Overview');
  await tab.page.keyboard.press('Tab');
  await expect.poll(() => focusedControl(tab.page)).toBe('button Skip to the content');
  expect((await tab.button('Skip to the content').boundingBox())?.y).toBeGreaterThanOrEqual(0);
  await tab.page.keyboard.press('Enter');
  await expect.poll(() => tab.page.evaluate('document.activeElement.id')).toBe('main');
  await context.close();
});

test('the arrow keys choose a project in the switcher, and Enter opens it', async () => {
  for (const name of ['First shop', 'Second shop']) await createWorld(service, { project: { name } });
  const context = await browser.open({ viewport: { width: 1280, height: 800 } });
  const tab = await openConsole(context, service);
  const { page } = tab;
  const switcher = page.getByLabel('Project', { exact: true });
  const [first = '', second = ''] = await switcher
    .locator('option')
    .evaluateAll((options) => options.map((option) => option.getAttribute('value') ?? ''));
  await tab.show(`/${first}/overview`);
  await switcher.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: /^Open / }).waitFor();
  await expect.poll(() => page.url()).toContain(`#/${first}/overview`);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain(`#/${second}/overview`);
  await switcher.and(page.locator(':focus')).waitFor();
  expect(tab.complaints).toEqual([]);
  await context.close();
});
