import { useBrowser } from '@session-launch/testing/browser.ts';
import type { Answer, Call } from '@session-launch/testing/http.ts';
import {
  createKey,
  createWorld,
  mintFromBrowser,
  mintFromServer,
  type World,
} from '@session-launch/testing/world.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { type ConsoleTab, inspect, keepToasts, openConsole, openTab } from '../harness/console.ts';
import { createOperator, signedIn, withToken } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
const limits = { mintsPerMinute: 600, sessionsPerDay: 1000, concurrentSessions: null };
const perMinute = 'Sessions per minute in the whole project';
let world: World;
let project: string;
let context: BrowserContext;
/** The console of Ada. Bea works through the API. */
let tab: ConsoleTab;
let beaToken: string;

beforeAll(async () => {
  world = await createWorld(service, {
    project: { limits },
    experience: { title: 'Harbor', status: 'draft' },
  });
  project = `/admin/projects/${world.projectId}`;
  const [ada, bea] = await Promise.all([
    createOperator(service, { name: 'Ada', role: 'owner' }),
    createOperator(service, { name: 'Bea', role: 'owner' }),
  ]);
  beaToken = bea.token;
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  tab = await openConsole(context, service, ada.operatorId);
});
afterAll(() => context?.close());

async function byBea(call: Call): Promise<Answer> {
  const answer = await withToken(service, beaToken, call);
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

/** Changes a document of the service as Bea, on its present version. */
async function changeByBea(method: string, path: string, body: (present: Answer['json']) => unknown) {
  const { headers, json } = await byBea({ path });
  await byBea({ method, path, headers: { 'If-Match': String(headers.etag) }, body: body(json) });
}

const setByBea = (changed: object) => changeByBea('PATCH', project, () => ({ limits: changed }));
const stored = async () =>
  (await service.admin({ path: `${project}?format=json` })).json.project.limits as typeof limits;
const clash = () => tab.dialog('Limits were changed in the meantime');
const saveLimits = () => tab.page.getByRole('button', { name: 'Save limits', exact: true }).last().click();
const isSaved = () => tab.button('Discard changes').waitFor({ state: 'detached' });

test('a limit that another operator changed after it was typed is written only after a choice', async () => {
  const { page, field } = tab;
  await tab.show(`/${world.projectId}/limits`);
  await field(perMinute).fill('500');
  await page.getByText('Saved: 600').waitFor();
  await setByBea({ mintsPerMinute: 50 });
  await page.getByText('Changed to 50 in the meantime').waitFor();
  await inspect(page, 'limits-changed');
  await saveLimits();
  await clash().getByText('It was 600. Changed by Bea').waitFor();
  await expect.poll(() => clash().getByRole('button', { name: 'Save limits' }).isDisabled()).toBe(true);
  await inspect(page, 'limits-clash');
  await expect.poll(() => stored()).toMatchObject({ mintsPerMinute: 50 });
  await clash().getByRole('radio', { name: 'Your value: 500' }).check();
  await saveLimits();
  await page.getByText('The limits are saved.').waitFor();
  await isSaved();
  await expect.poll(() => field(perMinute).inputValue()).toBe('500');
  await expect.poll(() => stored()).toMatchObject({ mintsPerMinute: 500, sessionsPerDay: 1000 });
});

test('a limit that was typed earlier needs a decision when only another one is changed', async () => {
  const { button, field } = tab;
  await field(perMinute).fill('400');
  await tab.show(`/${world.projectId}/overview`);
  await setByBea({ mintsPerMinute: 60 });
  await tab.show(`/${world.projectId}/limits`);
  await expect.poll(() => field(perMinute).inputValue()).toBe('400');
  await field('Sessions per day').fill('2000');
  await saveLimits();
  await clash().waitFor();
  await button('Cancel').click();
  await expect.poll(() => stored()).toMatchObject({ mintsPerMinute: 60, sessionsPerDay: 1000 });
  await saveLimits();
  await clash().getByRole('radio', { name: 'The saved value: 60' }).check();
  await saveLimits();
  await isSaved();
  await expect.poll(() => stored()).toMatchObject({ mintsPerMinute: 60, sessionsPerDay: 2000 });
  await expect.poll(() => field(perMinute).inputValue()).toBe('60');
});

test('changes of different limits at the same moment are both kept, and one of the same limit asks', async () => {
  const { page, field } = tab;
  /** Lets Bea save between the reading of the project and the change of it. */
  const saveBeside = async (changed: object) => {
    let isChanged = false;
    await page.route(
      (url) => url.pathname === project,
      async (route) => {
        if (!isChanged && route.request().method() === 'PATCH') {
          isChanged = true;
          await setByBea(changed);
        }
        return route.continue();
      },
    );
    await saveLimits();
  };
  await field(perMinute).fill('70');
  await saveBeside({ sessionsPerDay: 3000 });
  await isSaved();
  await expect.poll(() => stored()).toMatchObject({ mintsPerMinute: 70, sessionsPerDay: 3000 });
  await page.unrouteAll({ behavior: 'wait' });

  await field(perMinute).fill('80');
  await saveBeside({ mintsPerMinute: 90 });
  await clash().waitFor();
  await expect.poll(() => stored()).toMatchObject({ mintsPerMinute: 90 });
  await page.unrouteAll({ behavior: 'wait' });
  await tab.button('Cancel').click();
  await tab.button('Discard changes').click();
});

test('the overview publishes the revision that its confirmation names, and no later one', async () => {
  const { page, button, dialog } = tab;
  const { experienceId, projectId } = world;
  const path = `/admin/experiences/${experienceId}`;
  const refused = await mintFromBrowser(service, { experienceId });
  expect(refused.json.error.code).toBe('EXPERIENCE_NOT_PUBLISHED');
  await service.tallies.flush();
  await tab.show(`/${projectId}/overview`);
  await button('Publish it').click();
  await dialog('Publish r1?').getByText('Visitors will get r1 of Harbor.').waitFor();
  await inspect(page, 'publish-it');
  await changeByBea('PUT', path, ({ experience }) => ({
    experience: { ...experience, title: 'Unfinished' },
  }));
  await dialog('Publish r1?').getByRole('button', { name: 'Publish it' }).click();
  const next = dialog('Publish r2?');
  await next.getByText('Bea changed the experience in the meantime').waitFor();
  await next.getByText('Visitors will get r2 of Unfinished.').waitFor();
  await inspect(page, 'publish-it-changed');
  expect((await service.admin({ path })).json.publishedRevision).toBeUndefined();
  await next.getByRole('button', { name: 'Publish it' }).click();
  await page.getByText('Unfinished is published as r2.').waitFor();
  expect((await service.admin({ path })).json.publishedRevision).toBe(2);
});

test('lists update their rows in place, keep the pages that were loaded, and announce new rows', async () => {
  const { page, button } = tab;
  const { projectId, experienceId, key } = await createWorld(service);
  const mint = async () =>
    (await mintFromServer(service, key, { experienceId })).json.session.sessionId as string;
  const end = (sessionId: string) => byBea({ method: 'POST', path: `/admin/sessions/${sessionId}/end` });
  const rows = page.locator('tbody tr');
  const row = (text: string) => rows.filter({ hasText: text });
  const oldest = await mint();
  for (let n = 0; n < 51; n++) await mint();

  await tab.show(`/${projectId}/sessions`);
  await button('Show more').click();
  await expect.poll(() => rows.count()).toBe(52);
  await end(oldest);
  await row(oldest).getByText('ended').waitFor();
  const latest = await mint();
  await button('Show 1 new session').waitFor();
  await expect.poll(async () => [await rows.count(), await row(latest).count()]).toEqual([52, 0]);
  await button('Show 1 new session').click();
  await row(latest).waitFor();
  await expect.poll(() => rows.count()).toBe(53);
  // A session that no longer matches the filter keeps its row.
  await tab.show(`/${projectId}/sessions?status=created`);
  // The first page, not the list of before.
  await expect.poll(() => rows.count()).toBe(50);
  await row(latest).getByText('waiting').waitFor();
  await end(latest);
  await row(latest).getByText('ended').waitFor();

  await tab.show(`/${projectId}/activity`);
  const entries = await rows.count();
  await createKey(service, projectId, { name: 'made elsewhere' });
  await button('Show 1 new change').waitFor();
  await expect.poll(() => rows.count()).toBe(entries);
  await button('Show 1 new change').click();
  await expect.poll(() => rows.count()).toBe(entries + 1);
});

test('undoing the change of a role does not take back the change of another operator', async () => {
  const { page, button } = tab;
  const { operatorId } = await createOperator(service, { name: 'Cleo', role: 'viewer' });
  await tab.show('/team');
  await page.evaluate(keepToasts);
  const role = page.getByRole('combobox', { name: 'Role of Cleo' });
  const roleOfCleo = async () => {
    const { operators } = await askAdmin(service, 'GET /admin/operators');
    return operators.find(({ name }) => name === 'Cleo')?.role;
  };
  // The arrow keys change a closed select at each step; nothing is saved before Enter or the button is pressed.
  await role.focus();
  await page.keyboard.press('ArrowDown');
  await button('Change role of Cleo to creator').waitFor();
  await inspect(page, 'role-chosen');
  await page.keyboard.press('ArrowDown');
  await button('Change role of Cleo to developer').waitFor();
  await expect.poll(() => roleOfCleo()).toBe('viewer');
  await page.keyboard.press('ArrowUp');
  await button('Change role of Cleo to creator').click();
  await expect.poll(roleOfCleo).toBe('creator');
  await role.and(page.locator(':focus')).waitFor();
  await button('Undo').waitFor();
  await byBea({ method: 'PATCH', path: `/admin/operators/${operatorId}`, body: { role: 'developer' } });
  await button('Undo').click();
  await page.getByText('Nothing was done: Bea changed Cleo in the meantime.').waitFor();
  await expect.poll(() => roleOfCleo()).toBe('developer');
});

test('an operator who was changed in the meantime is removed only by another confirmation', async () => {
  const { operatorId } = await createOperator(service, { name: 'Dora', role: 'viewer' });
  await tab.show('/team');
  await tab.button('Remove Dora').click();
  const asked = tab.page.getByRole('dialog');
  await byBea({ method: 'PATCH', path: `/admin/operators/${operatorId}`, body: { role: 'developer' } });
  await asked.getByRole('button', { name: 'Remove' }).click();
  await tab.page.getByText('Nothing was done: Bea changed Dora in the meantime.').waitFor();
  await asked.waitFor({ state: 'detached' });
  await expect
    .poll(() => tab.page.getByRole('combobox', { name: 'Role of Dora' }).inputValue())
    .toBe('developer');
  await tab.button('Remove Dora').click();
  await asked.getByRole('button', { name: 'Remove' }).click();
  await tab.page.getByRole('combobox', { name: 'Role of Dora' }).waitFor({ state: 'detached' });
});

test('a console that gets no stream says that changes appear later, and shows them', async () => {
  const cookie = await signedIn(service);
  const [name = '', value = ''] = cookie.split('=', 2);
  const taken = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const abort = new AbortController();
      const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
      const response = await fetch(`${service.adminUrl}/admin/events`, { headers, signal: abort.signal });
      expect(response.status).toBe(200);
      // Node.js closes the connection of a response that is garbage collected.
      return { abort, response };
    }),
  );
  const other = await browser.open({ viewport: { width: 1280, height: 800 } });
  // A shorter interval between two reads.
  await other.addInitScript(`{
    const { setTimeout } = window;
    window.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 15_000 ? 500 : ms, ...rest);
  }`);
  await other.addCookies([{ name, value, url: service.adminUrl, httpOnly: true, sameSite: 'Strict' }]);
  const { page } = await openTab(other, service.adminUrl, `#/${world.projectId}/keys`);
  const hint = page.getByText('Changes by others appear with a delay');
  await hint.waitFor();
  await inspect(page, 'polling');
  await createKey(service, world.projectId, { name: 'made without a stream' });
  await page.getByRole('rowheader', { name: 'made without a stream' }).waitFor();
  await expect.poll(() => hint.count()).toBe(1);
  for (const { abort } of taken) abort.abort();
  await hint.waitFor({ state: 'detached' });
  await other.close();
});

test('after an outage the stream is opened at once, and no hint says that none can be opened', async () => {
  const other = await browser.open({ viewport: { width: 1280, height: 800 } });
  // Shorter intervals, and whether the screens were to be read at intervals.
  await other.addInitScript(`{
    const { setTimeout } = window;
    window.setTimeout = (work, ms, ...rest) => {
      if (ms === 15_000) window.hasPolled = true;
      return setTimeout(work, ms === 5_000 ? 200 : ms === 15_000 ? 500 : ms, ...rest);
    };
  }`);
  const [name = '', value = ''] = (await signedIn(service)).split('=', 2);
  await other.addCookies([{ name, value, url: service.adminUrl, httpOnly: true, sameSite: 'Strict' }]);
  const { page } = await openTab(other, service.adminUrl, `#/${world.projectId}/keys`);
  await page.locator('main h1').waitFor();
  for (const [status, code, banner] of [
    [503, undefined, 'The service does not answer. Trying again'],
    [429, 'RATE_LIMITED', 'cannot reach its database or is overloaded'],
  ] as const) {
    await page.route(/\/admin\/(me|events)$/, (route) =>
      route.fulfill({ status, json: code === undefined ? {} : { error: { code, message: 'Retry.' } } }),
    );
    // A tab that is hidden closes its stream, and opens one when it is shown again.
    await page.evaluate(`for (const isHidden of [true, false]) {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }`);
    await page.getByText(banner).waitFor();
    const opened = page.waitForResponse((one) => one.url().endsWith('/admin/events') && one.ok());
    await page.unrouteAll({ behavior: 'wait' });
    await opened;
    await page.getByText(banner).waitFor({ state: 'detached' });
    expect(await page.evaluate('window.hasPolled')).toBeUndefined();
  }
  await other.close();
});
