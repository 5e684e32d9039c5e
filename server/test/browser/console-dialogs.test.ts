import { useBrowser } from '@session-launch/testing/browser.ts';
import { createWorld, mintFromBrowser, type World } from '@session-launch/testing/world.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { type ConsoleTab, inspect, keepToasts, openConsole } from '../harness/console.ts';
import { createOperator } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
let context: BrowserContext;
let tab: ConsoleTab;
let world: World;

beforeAll(async () => {
  world = await createWorld(service, { project: { browserEmbeds: false } });
  await createOperator(service, { name: 'Ada', role: 'developer' });
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(keepToasts);
  tab = await openConsole(context, service);
});
afterAll(() => context?.close());

test('the dialogs of keys are accessible, and a new key is in its own dialog only', async () => {
  const { page, button, dialog } = tab;
  await tab.show(`/${world.projectId}/keys`);
  await page.getByRole('button', { name: /^Revoke sl_test_/ }).click();
  await inspect(page, 'revoke-key');
  await button('Cancel').click();
  await page.getByRole('button', { name: /^Replace sl_test_/ }).click();
  await inspect(page, 'replace-key');
  await button('Replace').click();
  const shown = await dialog('Your new key').locator('pre').first().innerText();
  // Neither Ctrl+K nor Back leaves the screen, and a reload asks.
  await page.keyboard.press('Control+k');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
  const address = page.url();
  await page.evaluate('history.back()');
  await page.getByText('You have not copied the key.').waitFor();
  await expect.poll(() => page.url()).toBe(address);
  await button('Back to the key').click();
  const asked = page.waitForEvent('dialog');
  await page.evaluate('setTimeout(() => location.reload())');
  expect((await asked).type()).toBe('beforeunload');
  await (await asked).dismiss();
  await page.keyboard.press('Escape');
  await page.getByText('You have not copied the key.').waitFor();
  await inspect(page, 'key-not-copied', shown);
  // Chromium closes a dialog on the second Escape without asking; it opens again.
  await page.keyboard.press('Escape');
  await dialog('Your new key').waitFor();
  await expect.poll(() => dialog('Your new key').locator('pre').first().innerText()).toBe(shown);
  await button('Close without copying').click();
  await inspect(page, 'keys-replaced');
  const { keys } = await askAdmin(service, 'GET /admin/projects/{projectId}/keys', {
    params: { projectId: world.projectId },
  });
  expect(keys).toHaveLength(3);
  expect(tab.complaints).toEqual([]);
});

test('the dialogs of the team are accessible, and tokens and links are in their own dialogs only', async () => {
  const { page, button, dialog } = tab;
  await tab.show('/team');
  await button('Sign-in link for Ada').click();
  const link = await dialog('Sign-in link').locator('pre').innerText();
  expect(link).toContain('/console/#code=');
  await inspect(page, 'sign-in-link', link);
  await button('Done').click();
  await button('New token').click();
  await inspect(page, 'new-token');
  await dialog('Make a new token?').getByRole('button', { name: 'New token' }).click();
  const token = await dialog('The token of the new operator').locator('pre').innerText();
  await inspect(page, 'shown-token', token);
  await button('Done').click();
  await button('Remove Ada').click();
  await inspect(page, 'remove-operator');
  await button('Remove').last().click();
  await page.getByRole('heading', { name: 'No operators yet' }).waitFor();
  await inspect(page, 'no-operators');
  expect(tab.complaints).toEqual([]);
});

test('embeds that are off are turned on from the overview, after a confirmation', async () => {
  const { page, button, dialog } = tab;
  const { experienceId, projectId } = world;
  const refused = await mintFromBrowser(service, { experienceId });
  expect(refused.status, refused.text).toBe(403);
  await service.tallies.flush();
  await tab.show(`/${projectId}/overview`);
  await button('Turn embeds on').click();
  await inspect(page, 'turn-embeds-on');
  await dialog('Turn browser embeds on?').getByRole('button', { name: 'Turn embeds on' }).click();
  await page.getByText('Browser embeds are on.').waitFor();
  expect((await mintFromBrowser(service, { experienceId })).status).toBe(201);
  expect(tab.complaints).toEqual([]);
});

test('the switch for embeds shows what is saved, also after a failure, and has an undo', async () => {
  const { page, button } = tab;
  const { experienceId, projectId } = world;
  const status = async () => (await mintFromBrowser(service, { experienceId })).status;
  await tab.show(`/${projectId}/embeds`);
  const [on, off] = [page.getByRole('radio', { name: /^On:/ }), page.getByRole('radio', { name: /^Off:/ })];
  const settings = `**/projects/${projectId}`;
  const body = {
    error: { code: 'UNAVAILABLE', message: 'The database is not available.', requestId: 'req_1' },
  };
  await page.route(settings, (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 503, json: body }) : route.continue(),
  );
  await off.click();
  await page.getByText('Try again in a moment.').waitFor();
  await on.and(page.locator(':checked')).waitFor();
  await page.unroute(settings);
  expect(await status()).toBe(201);
  await off.click();
  await page.getByText('Browser embeds are off').waitFor();
  await expect.poll(async () => [await off.isChecked(), await status()]).toEqual([true, 403]);
  await button('Undo').click();
  await expect.poll(status).toBe(201);
  await on.and(page.locator(':checked')).waitFor();
});

test('addresses that lead nowhere are explained, with the next step', async () => {
  const { page } = tab;
  await tab.show('/nowhere');
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  await inspect(page, 'unknown');
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await tab.show(`/${world.projectId}/sessions/ses_00000000000000000000000000`);
  await page.getByRole('alert').waitFor();
  await inspect(page, 'unknown-session');
  await page.keyboard.press('?');
  await inspect(page, 'keyboard-help');
});
