import { useBrowser } from '@session-launch/testing/browser.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import {
  type ConsoleTab,
  inspect,
  keepToasts,
  keptSecrets,
  openConsole,
  openTab,
} from '../harness/console.ts';
import { codeFor, createOperator, signedIn } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
let context: BrowserContext;

beforeEach(async () => {
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(keepToasts);
});
afterEach(() => context.close());

const signInForm = (page: Page) => page.getByRole('heading', { name: 'Sign in', level: 1 });
const who = ({ page }: ConsoleTab) => page.locator('.who').innerText();

async function enterToken({ field, button }: ConsoleTab, token: string): Promise<void> {
  await field('Token').fill(token);
  await button('Sign in').click();
}

/** Ends every login, as the console of another operator could. */
async function endLogins(): Promise<void> {
  const { logins } = await askAdmin(service, 'GET /admin/logins');
  for (const { loginId } of logins)
    await service.admin({ method: 'DELETE', path: `/admin/logins/${loginId}` });
}

/** What a browser reports about refused requests, and nothing else. */
const ofRefusals = (status: number) =>
  new RegExp(`^(status ${status}: |error: Failed to load resource: .* status of ${status} )`);

test('a start during an outage is retried', async () => {
  await context.route('**/admin/sign-in', (route) => route.abort());
  const { page } = await openTab(context, service.adminUrl);
  await page.getByText('The service does not answer.').waitFor();
  await context.unroute('**/admin/sign-in');
  await signInForm(page).waitFor();
});

test('signs in with a token, shows a wrong one as an error, and signs out', async () => {
  const tab = await openTab(context, service.adminUrl, '#/team');
  const { page } = tab;
  await signInForm(page).waitFor();
  await expect.poll(() => page.title()).toBe('Sign in – Session launch console');
  await expect.poll(() => page.getByRole('main').count()).toBe(1);
  await inspect(page, 'sign-in');

  await enterToken(tab, 'slo_wrong');
  await page.getByText('The sign-in failed').waitFor();
  await tab.field('Token').fill('');
  await inspect(page, 'sign-in-failed');
  await enterToken(tab, adminToken);
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor();
  await expect.poll(() => who(tab)).toContain('bootstrap owner');
  expect(await keptSecrets(page)).toEqual([]);

  await tab.button('Sign out').click();
  await signInForm(page).waitFor();
  await page.goBack();
  await signInForm(page).waitFor();
  expect((await context.cookies()).filter(({ name }) => name.startsWith('console_'))).toEqual([]);
  expect(tab.complaints.filter((one) => !ofRefusals(401).test(one))).toEqual([]);
});

test('a login that ends while somebody types opens the form over the page and loses nothing', async () => {
  const tab = await openConsole(context, service);
  const { page, button, field, dialog } = tab;
  await button('New project').click();
  await field('Name').fill('Half written');
  await endLogins();
  await button('Create project').click();

  const form = dialog('Sign in');
  await form.getByText('nothing that you typed is lost').waitFor();
  await inspect(page, 'sign-in-again');
  // Chromium closes a dialog on the second Escape without asking; it opens again.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await form.waitFor();
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Half written');

  await enterToken(tab, adminToken);
  // The refused request is sent again.
  await page.getByRole('heading', { name: 'Set up' }).waitFor();
  await expect.poll(() => page.url()).toMatch(/#\/prj_half_written\/overview$/);
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await expect.poll(() => page.getByText('Created Half written.').isVisible()).toBe(true);

  // The same over a dialog that the switcher opened, signed in again in another tab.
  await page.getByLabel('Project', { exact: true }).selectOption('New project');
  await field('Name').fill('Second');
  await endLogins();
  await button('Create project').click();
  await form.waitFor();
  const other = await openTab(context, service.adminUrl);
  await enterToken(other, adminToken);
  await page.getByText('Created Second.').waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await expect.poll(() => page.url()).toMatch(/#\/prj_second\/overview$/);
  expect(tab.complaints.filter((one) => !ofRefusals(401).test(one))).toEqual([]);
});

test('after a sign-in as another operator, nothing of the first one is sent or shown, in any tab', async () => {
  const { projectId, experienceId } = await createWorld(service);
  const [ada, bea] = await Promise.all([
    createOperator(service, { name: 'Ada', role: 'creator' }),
    createOperator(service, { name: 'Bea', role: 'creator' }),
  ]);
  const path = `/admin/experiences/${experienceId}`;
  const before = (await service.admin({ path })).json;
  const tab = await openConsole(context, service, ada.operatorId);
  const other = await openTab(context, service.adminUrl, `#/${projectId}/keys`);
  await other.page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  await tab.show(`/${projectId}/experiences/${experienceId}/setup`);
  const { page } = tab;
  await tab.field('Title').fill('Written by Ada');
  await page.getByText('Unsaved changes, checked').waitFor();
  for (const one of [tab, other]) await one.page.evaluate('window.isOfAda = true');
  // The login ends when the request to save is on its way.
  let hasEnded = false;
  await page.route(
    (url) => url.pathname === path && !url.searchParams.has('plan'),
    async (route) => {
      if (route.request().method() === 'PUT' && !hasEnded) {
        hasEnded = true;
        await endLogins();
      }
      await route.continue();
    },
  );
  await tab.button('Save draft').click();
  await tab.dialog('Sign in').getByText('Sign in again as Ada to continue').waitFor();
  await enterToken(tab, bea.token);
  for (const one of [tab, other]) {
    await one.page.locator('.who', { hasText: 'Bea creator' }).waitFor();
    expect(await one.page.evaluate('window.isOfAda')).toBeUndefined();
  }
  await page.getByText('No unsaved changes').waitFor();
  await expect.poll(() => tab.field('Title').inputValue()).toBe(before.experience.title);
  await expect.poll(() => page.getByText('You have unsaved changes from').count()).toBe(0);
  expect((await service.admin({ path })).json).toEqual(before);

  // An identity provider signs in outside of the page, which then only finds the cookie.
  const [name = '', value = ''] = (await signedIn(service, ada.operatorId)).split('=', 2);
  await context.addCookies([{ name, value, url: service.adminUrl, httpOnly: true, sameSite: 'Strict' }]);
  await openTab(context, service.adminUrl);
  await page.locator('.who', { hasText: 'Ada creator' }).waitFor();
  await tab.button('Continue').click();
  await expect.poll(() => tab.field('Title').inputValue()).toBe('Written by Ada');
  expect(tab.complaints.filter((one) => /^exception|policy violation/.test(one))).toEqual([]);
  expect(other.complaints.filter((one) => !ofRefusals(401).test(one))).toEqual([]);
});

test('a sign-in link asks before it replaces a login, and leaves no trace in the address', async () => {
  const ada = await createOperator(service, { name: 'Ada', role: 'viewer' });
  const tab = await openConsole(context, service);
  const { page, button, dialog } = tab;
  await tab.show('/team');

  // In the tab that is open only the fragment changes.
  const code = await codeFor(service, ada.operatorId);
  await page.goto(`${service.adminUrl}/console/#code=${code}`);
  await dialog('Sign in with this link?').waitFor();
  await expect.poll(() => page.url()).toBe(`${service.adminUrl}/console/#/team`);
  await inspect(page, 'use-link');
  await button('Cancel').click();
  await expect.poll(() => who(tab)).toContain('bootstrap owner');
  expect(await keptSecrets(page)).toEqual([]);

  // A new tab loads the page with the code, which is still valid.
  const other = await openTab(context, service.adminUrl, `#code=${code}`);
  await other.dialog('Sign in with this link?').waitFor();
  expect(other.page.url()).toBe(`${service.adminUrl}/console/`);
  await other.button('Use the link').click();
  await other.page.locator('.who', { hasText: 'Ada viewer' }).waitFor();
  expect(await keptSecrets(other.page)).toEqual([]);
  await other.page.goBack().catch(() => null);
  expect(other.page.url()).not.toContain('code=');

  // A link works once.
  const again = await openTab(context, service.adminUrl, `#code=${code}`);
  await again.button('Use the link').click();
  await again.dialog('Sign in with this link?').getByRole('alert').waitFor();
  await expect.poll(() => who(again)).toContain('Ada viewer');
  // The first tab still used the login that was replaced.
  expect([...tab.complaints, ...other.complaints].filter((one) => !ofRefusals(401).test(one))).toEqual([]);
});
