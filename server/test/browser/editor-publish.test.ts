import { useBrowser } from '@session-launch/testing/browser.ts';
import { createWorld, runtime } from '@session-launch/testing/world.ts';
import type { BrowserContext, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsoleTab, inspect, keepToasts, openConsole, openTab } from '../harness/console.ts';
import { createOperator, withToken } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
type Loose = any;

const service = useService();
const browser = useBrowser();
let context: BrowserContext;
let beaToken: string;
/** The editor of Ada, at the tab Setup of a new experience. Bea works through the API. */
let tab: ConsoleTab;
let path: string;

beforeAll(async () => {
  const [ada, bea] = await Promise.all([
    createOperator(service, { name: 'Ada', role: 'creator' }),
    createOperator(service, { name: 'Bea', role: 'creator' }),
  ]);
  beaToken = bea.token;
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(keepToasts);
  tab = await openConsole(context, service, ada.operatorId);
});
afterAll(() => context?.close());

beforeEach(async () => {
  const mind = { persona: 'You are Maren.', greeting: { en: ['Hello'] } };
  const { projectId, experienceId } = await createWorld(service, {
    experience: { title: 'Harbor', runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
  path = `/admin/experiences/${experienceId}`;
  const route = `#/${projectId}/experiences/${experienceId}/setup`;
  await tab.page.close();
  tab = await openTab(context, service.adminUrl, route);
  await tab.field('Title').waitFor();
});

const stored = async (): Promise<Loose> => (await service.admin({ path })).json;
const live = async () => {
  const { title, runtime } = (await stored()).live;
  return [title, runtime.mind.persona];
};
const review = () => tab.dialog('Review and publish');
const changedByBea = () =>
  review().getByText('Bea changed this experience in the meantime.', { exact: false });
const publish = () => review().getByRole('button', { name: 'Publish', exact: true }).click();

/** Sends a request as Bea, on the present version. */
async function byBea(method: string, to: string, body: (present: Loose) => object): Promise<void> {
  const present = await stored();
  const headers = { 'If-Match': `"${present.version}"` };
  const answer = await withToken(service, beaToken, { method, path: to, headers, body: body(present) });
  expect(answer.status, answer.text).toBe(200);
}

const writeByBea = (persona: string) =>
  byBea('PUT', path, ({ experience }) => {
    const { runtime } = experience;
    return { experience: { ...experience, runtime: { ...runtime, mind: { ...runtime.mind, persona } } } };
  });

async function openReview(title?: string): Promise<void> {
  if (title !== undefined) {
    await tab.field('Title').fill(title);
    await tab.page.getByText('Unsaved changes, checked').waitFor();
  }
  await tab.button('Review and publish').click();
  await review().waitFor();
}

/** Intercepts the first request of a page that matches. */
async function intercept(matches: (method: string, route: Route) => boolean, work: () => Promise<void>) {
  let isDone = false;
  await tab.page.route(
    (url) => url.pathname.startsWith(path),
    async (route) => {
      if (!isDone && matches(route.request().method(), route)) {
        isDone = true;
        await work();
      }
      return route.continue();
    },
  );
}

test('after a merge, the review is shown again with the changes of both, and only then published', async () => {
  await openReview('Harbor of Ada');
  await review().getByText('1 change for visitors').waitFor();
  await writeByBea('Unfinished');
  await publish();
  await tab.button('Merge and save').click();
  await changedByBea().waitFor();
  await review().getByText('2 changes for visitors').waitFor();
  await review().getByText('Unfinished', { exact: true }).waitFor();
  await inspect(tab.page, 'review-after-merge');
  await expect.poll(() => live()).toEqual(['Harbor', 'You are Maren.']);
  await publish();
  await tab.page.getByText('r3 is published.').waitFor();
  await expect.poll(() => live()).toEqual(['Harbor of Ada', 'Unfinished']);
});

test('a draft that is taken over during the review is published only after it is reviewed again', async () => {
  await tab.field('Title').fill('Harbor of Ada');
  await tab.button('Save draft').click();
  await tab.page.getByText('Saved as draft r2.', { exact: false }).waitFor();
  await openReview();
  await review().getByText('1 change for visitors').waitFor();
  await writeByBea('Unfinished');
  await changedByBea().waitFor();
  await expect.poll(() => review().getByRole('button', { name: 'Publish', exact: true }).count()).toBe(0);
  await expect.poll(() => review().getByText('Unfinished', { exact: true }).count()).toBe(0);
  await inspect(tab.page, 'review-outdated');
  await tab.button('Review again').click();
  await review().getByText('2 changes for visitors').waitFor();
  await expect.poll(() => live()).toEqual(['Harbor', 'You are Maren.']);
  await publish();
  await tab.page.getByText('r3 is published.').waitFor();
});

test.each([
  [
    'between the save and the reading of the result',
    () => {
      let isSaved = false;
      return (method: string, route: Route) => {
        if (method === 'PUT' && !route.request().url().includes('plan=')) isSaved = true;
        return method === 'GET' && isSaved;
      };
    },
  ],
  [
    'between the save and the publication',
    () => (method: string, route: Route) => method === 'POST' && route.request().url().endsWith('/publish'),
  ],
])('a draft that another operator saves %s is reviewed first', async (_, matches) => {
  await openReview('Harbor of Ada');
  await intercept(matches(), () => writeByBea('Unfinished'));
  await publish();
  await changedByBea().waitFor();
  await review().getByText('2 changes for visitors').waitFor();
  await expect.poll(() => live()).toEqual(['Harbor', 'You are Maren.']);
  await publish();
  await tab.page.getByText('r3 is published.').waitFor();
  await expect.poll(() => live()).toEqual(['Harbor of Ada', 'Unfinished']);
});

test('the review cannot be closed while it publishes', async () => {
  await openReview('Harbor of Ada');
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await intercept(
    (method, route) => method === 'PUT' && !route.request().url().includes('plan='),
    () => finished,
  );
  await publish();
  const cancel = review().getByRole('button', { name: 'Cancel', exact: true });
  await expect.poll(() => cancel.isDisabled()).toBe(true);
  // Chromium closes a dialog on the second Escape without asking; it opens again.
  for (let n = 0; n < 2; n++) await tab.page.keyboard.press('Escape');
  await review().waitFor();
  finish();
  await review().waitFor({ state: 'detached' });
  await tab.page.getByText('r2 is published.').waitFor();
});

test('an undo does not take back what another operator published', async () => {
  await openReview('Harbor of Ada');
  await publish();
  await tab.page.getByText('r2 is published.').waitFor();
  await writeByBea('Finished');
  await byBea('POST', `${path}/publish`, () => ({ revision: 3 }));
  await tab.page.getByText('Published r3', { exact: true }).waitFor();
  await tab.button('Undo').click();
  await tab.page.getByText('Bea changed this experience in the meantime, and nothing was done.').waitFor();
  expect((await stored()).publishedRevision).toBe(3);
});

test('the dialogs of the tab Revisions act on the state in which they were opened', async () => {
  const { page, button } = tab;
  await writeByBea('Finished');
  await page.getByText('Published r1, draft r2').waitFor();
  await page.getByRole('link', { name: 'Revisions', exact: true }).click();
  await button('Publish this one').click();
  const dialog = tab.dialog('Publish r2?');
  await dialog.getByText('Finished', { exact: true }).waitFor();
  await byBea('POST', `${path}/unpublish`, () => ({}));
  await page.getByText('Draft r2, not published').waitFor();
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.getByText('Bea changed this experience in the meantime, and nothing was done.').waitFor();
  await inspect(page, 'publish-revision-outdated');
  expect((await stored()).publishedRevision).toBeUndefined();
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('r2 is published.').waitFor();

  await button('Unpublish').click();
  const asked = tab.dialog('Unpublish this experience?');
  await writeByBea('Finished again');
  await page.getByText('Published r2, draft r3').waitFor();
  await asked.getByRole('button', { name: 'Unpublish', exact: true }).click();
  await asked.getByText('Bea changed this experience in the meantime, and nothing was done.').waitFor();
  expect((await stored()).publishedRevision).toBe(2);
  await asked.getByRole('button', { name: 'Unpublish', exact: true }).click();
  await page.getByText('The experience is no longer published.').waitFor();
});

test('with unsaved changes, a revision is published after a merge, and copied into the draft after a confirmation', async () => {
  const { page, button, field } = tab;
  const openTabOf = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const revisions = page.getByRole('list', { name: 'Revisions' });
  await writeByBea('Finished');
  await page.getByText('Published r1, draft r2').waitFor();
  await field('Title').fill('Harbor of Ada');
  await openTabOf('Revisions');
  await button('Publish this one').click();
  const dialog = tab.dialog('Publish r2?');
  await dialog.getByText('Finished', { exact: true }).waitFor();
  await writeByBea('Finished again');
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('nothing was done. Choose “Merge into my draft”, then try again.').waitFor();
  expect((await stored()).publishedRevision).toBe(1);
  await button('Merge into my draft').click();
  await revisions.getByText('r3', { exact: true }).waitFor();
  await button('Publish this one').last().click();
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('r2 is published.').waitFor();
  expect((await stored()).publishedRevision).toBe(2);

  await button('Copy r1 into the draft').click();
  const asked = tab.dialog('Copy r1 into the draft?');
  await inspect(page, 'restore-revision');
  await asked.getByRole('button', { name: 'Copy into the draft', exact: true }).click();
  await page.getByText('The draft now has the content of r1.').waitFor();
  await openTabOf('Setup');
  await expect.poll(() => field('Title').inputValue()).toBe('Harbor');
  await button('Undo').last().click();
  await expect.poll(() => field('Title').inputValue()).toBe('Harbor of Ada');
});
