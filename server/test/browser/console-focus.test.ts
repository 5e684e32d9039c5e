import { useBrowser } from '@session-launch/testing/browser.ts';
import { createWorld, runtime, type World } from '@session-launch/testing/world.ts';
import type { BrowserContext, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleTab, inspect, openConsole, openTab } from '../harness/console.ts';
import { useService } from '../harness/service.ts';
import { focusedControl } from '../harness/tab-walk.ts';

const service = useService();
const browser = useBrowser();
let context: BrowserContext;
let tab: ConsoleTab;
let world: World;

beforeAll(async () => {
  world = await createWorld(service, {
    experience: {
      title: 'Harbor',
      runtime: runtime({ transport: { type: 'websocket' }, mind: { greeting: { en: 'Hello' } } }),
    },
  });
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  tab = await openConsole(context, service);
});
afterAll(() => context?.close());

/** Holds the requests that change something. Returns how to let them go on, or to answer them with a failure. */
async function holdChanges() {
  const held: Route[] = [];
  await tab.page.route('**/admin/**', (route) => {
    if (route.request().method() === 'GET') return route.continue();
    held.push(route);
  });
  return {
    number: () => held.length,
    fail: async () => {
      const error = { code: 'INTERNAL', message: 'It failed on purpose.', requestId: 'req_1' };
      await Promise.all(held.splice(0).map((route) => route.fulfill({ status: 500, json: { error } })));
    },
    pass: async () => {
      await Promise.all(held.splice(0).map((route) => route.continue()));
    },
  };
}

test('a confirmation cannot be closed while its action runs, and shows a failure', async () => {
  const { page, dialog } = tab;
  await tab.show(`/${world.projectId}/keys`);
  const requests = await holdChanges();
  await page.getByRole('button', { name: /^Revoke sl_test_/ }).click();
  const asked = page.getByRole('dialog');
  await asked.getByRole('button', { name: 'Revoke' }).press('Enter');
  await expect.poll(requests.number).toBe(1);
  await asked.getByText('Working…').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await asked.getByRole('button', { name: 'Cancel' }).press('Enter');
  await asked.getByRole('button', { name: 'Close' }).press('Enter');
  await page.mouse.click(5, 5);
  await expect.poll(() => asked.isVisible()).toBe(true);
  await inspect(page, 'confirmation-running');
  await requests.fail();
  await asked.getByText('It failed on purpose.').waitFor();
  await expect.poll(() => asked.getByText('Working…').count()).toBe(0);
  await inspect(page, 'confirmation-failed');
  await asked.getByRole('button', { name: 'Revoke' }).press('Enter');
  await expect.poll(requests.number).toBe(1);
  await requests.pass();
  await asked.waitFor({ state: 'detached' });
  await page.unrouteAll();
  await expect.poll(() => dialog('Revoke').count()).toBe(0);
});

test('after publishing by keyboard, the focus is at the place of the button that published', async () => {
  const { page, button, field, dialog } = tab;
  await tab.show(`/${world.projectId}/experiences/${world.experienceId}/setup`);
  await field('Title').fill('Quay');
  await button('Save draft').press('Enter');
  await page.getByText('No unsaved changes').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
  await expect.poll(() => focusedControl(page)).toBe('button Review and publish');
  await page.keyboard.press('Enter');
  await dialog('Review and publish').waitFor();
  await dialog('Review and publish').getByRole('button', { name: 'Publish', exact: true }).focus();
  const published = page.getByText('r2 is published.').first();
  await page.keyboard.press('Enter');
  await published.waitFor();
  await dialog('Review and publish').waitFor({ state: 'detached' });
  await expect.poll(() => focusedControl(page)).toBe('button Review and publish');

  // The button that published disappears: its revision is the published one now.
  await tab.show(`/${world.projectId}/experiences/${world.experienceId}/revisions`);
  const first = page.getByRole('listitem').filter({ hasText: 'r1' });
  await first.getByRole('button', { name: 'Publish this one' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).focus();
  await page.keyboard.press('Enter');
  await first.getByText('published', { exact: true }).waitFor();
  await expect.poll(() => focusedControl(page)).toBe('button Copy r1 into the draft');

  await tab.show(`/${world.projectId}/experiences/${world.experienceId}/setup`);
  await field('Title').fill('Unsaved');
  await button('Discard').press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
});

test.each([
  ['a button', 'main', 'button', 'button Other', '#main'],
  ['a text field', 'main', 'input', 'heading Part', '#main'],
  ['a button outside main', 'nav', 'button', 'button Other', 'nav a'],
])('when %s is removed, the focus moves to no button that deletes', async (...row) => {
  const [, place, lost, focused, without] = row;
  const { page } = tab;
  await tab.show(`/${world.projectId}/keys`);
  await page.evaluate(`{
    const part = document.createElement('section');
    part.className = 'added';
    const add = (name, text, className) => {
      const element = document.createElement(name);
      Object.assign(element, { className, textContent: text });
      part.append(element);
      return element;
    };
    add('h2', 'Part', '');
    add('button', 'Delete', 'danger');
    const lost = add('${lost}', '', '');
    add('button', 'Other', '');
    document.querySelector('${place}').append(part);
    lost.focus();
    lost.remove();
  }`);
  await expect.poll(() => focusedControl(page)).toBe(focused);
  await page.evaluate(`document.querySelector('.added').remove()`);
  await expect.poll(() => page.evaluate(`document.activeElement.matches('${without}')`)).toBe(true);
});

test('after a failed sign-in by the button, the focus is in the field', async () => {
  const other = await browser.open();
  const { page, field, button } = await openTab(other, service.adminUrl);
  await field('Token').fill('slo_wrong');
  await button('Sign in').click();
  await page.getByText('The sign-in failed').waitFor();
  await expect.poll(() => focusedControl(page)).toBe('textbox Token');
  await other.close();
});

test('no table has an empty header cell', async () => {
  const { page } = tab;
  for (const route of ['/team', `/${world.projectId}/keys`]) {
    await tab.show(route);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('th')].filter((cell) => [...cell.childNodes].every((one) =>
          !one.textContent.trim() || one.className === 'hidden-text')).length`,
      ),
      route,
    ).toBe(0);
    await inspect(page, `tables-${route.split('/').at(-1)}`);
  }
});
