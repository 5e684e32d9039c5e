import { execFile } from 'node:child_process';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { startSite, useBrowser, watch } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { inspect } from '../harness/console.ts';
import { becomes, isIn, onSlowScreen } from '../harness/talking-page.ts';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';

const run = promisify(execFile);
const browser = useBrowser(...silentMicrophone);
const projectId = 'prj_corner_shop';
let talking: TalkingProcess;
let site: Awaited<ReturnType<typeof startSite>>;
let stranger: typeof site;
let context: BrowserContext;
let page: Page;
/** Complaints of the console's page since the test began. */
let complaints: string[];
/** Where the console is, under the name that the start prints. */
let home: string;
/** The two lines that the console shows. */
let twoLines: string;

beforeAll(async () => {
  [talking, site, stranger] = await Promise.all([
    startTalking(inject('dataFolder'), { DEMO: 'off' }),
    startSite(),
    startSite(),
  ]);
  context = await onSlowScreen(
    await browser.open({
      viewport: { width: 1280, height: 800 },
      permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
    }),
  );
  page = await context.newPage();
  const [, link = ''] = /Console\s+(\S+)/.exec(talking.service.stdout()) ?? [];
  home = new URL(link).origin;
  complaints = await watch(page, home, talking.service.url);
  await page.goto(link);
});
afterAll(async () => {
  await context?.close();
  await Promise.all([site, stranger].map((one) => one?.close()));
  await talking?.stop();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const openScreen = async (name: string) => {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
};
const dialog = (name: string) => page.getByRole('dialog', { name });

/** Presses a button and returns the lines of the file that it offers. */
async function downloaded(name: string): Promise<string[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(name).click()]);
  return (await textOf(await download.createReadStream())).trim().split('\r\n');
}

async function talk(on: typeof site): Promise<Page> {
  on.show(twoLines);
  const visitor = await context.newPage();
  await visitor.goto(on.origin);
  await visitor.getByRole('button', { name: 'Start' }).click();
  return visitor;
}

test('leads from the printed link to a page that talks, with nothing but the console', async () => {
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  await expect.poll(() => page.url()).toBe(`${home}/console/`);
  await inspect(page, 'no-projects');

  await button('New project').click();
  await field('Name').fill('Corner shop');
  await inspect(page, 'new-project');
  await button('Create project').click();
  await page.getByRole('heading', { name: 'Set up' }).waitFor();
  await expect.poll(() => page.url()).toBe(`${home}/console/#/${projectId}/overview`);
  await inspect(page, 'set-up');

  await page.getByRole('link', { name: 'Create an experience' }).click();
  await button('New experience').first().click();
  await field('Title').fill('Shop guide');
  await inspect(page, 'new-experience');
  await button('Create experience').click();
  await page.getByRole('heading', { name: 'Shop guide', level: 1 }).waitFor();
  await openScreen('Experiences');
  await button('Actions for Shop guide').click();
  await button('Publish r1').click();
  await page.getByText('published r1').waitFor();
  await inspect(page, 'experiences');

  await openScreen('Keys');
  await button('Create key').first().click();
  await field('Name').fill('backend');
  await inspect(page, 'create-key');
  await dialog('Create key').getByRole('button', { name: 'Create key' }).click();
  const curl = page.locator('pre', { hasText: 'curl' });
  await curl.waitFor();
  const [key = ''] = /sl_test_\w+/.exec(await curl.innerText()) ?? [];
  await inspect(page, 'shown-key', key);
  await button('Done').click();
  await page.getByText('You have not copied the key.').waitFor();
  await button('Back to the key').click();
  await button('Copy curl command').click();
  const line = await page.evaluate<string>('navigator.clipboard.readText()');
  const { stdout } = await run('sh', ['-c', `${line} -s`]);
  const minted = JSON.parse(stdout);
  expect(minted.session).toMatchObject({ status: 'created', source: 'server' });
  await button('Done').click();
  await inspect(page, 'keys');

  await openScreen('Embeds');
  twoLines = await page.locator('pre').innerText();
  await field('Origin of your page').fill(site.origin);
  await button('Check').click();
  await page.getByText('Pages on this origin may not start sessions yet.').waitFor();
  await field('Allow origin').fill(site.origin);
  await button('Allow origin').click();
  await page.getByRole('listitem').getByText(site.origin).waitFor();
  await button('Check').click();
  await page.getByText('A visitor could start a session now.').waitFor();
  await inspect(page, 'embeds');

  const visitor = await talk(site);
  await isIn(visitor, 'speaking');
  await visitor.getByRole('log', { name: 'Conversation' }).getByText('Welcome! I am Robin').waitFor();

  await openScreen('Sessions');
  const active = page.getByRole('row').filter({ hasText: 'active' });
  await active.waitFor();
  await inspect(page, 'sessions');
  await active.getByRole('link').click();
  await button('End').click();
  await inspect(page, 'end-session');
  await button('End session').click();
  await page.getByText('Ended: on request').waitFor();
  await inspect(page, 'session');
  await becomes(visitor, 'ended');
  await visitor.close();

  await openScreen('Overview');
  await page.getByText('Sessions created', { exact: true }).first().waitFor();
  await expect.poll(() => page.getByRole('heading', { name: 'Set up' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('names a refused origin, its reason and number; one button and a confirmation let the page start', async () => {
  await openScreen('Overview');
  const visitor = await talk(stranger);
  await becomes(visitor, 'failed');
  const row = page.getByRole('row').filter({ hasText: stranger.origin });
  await row.getByText('The project does not allow this origin.').waitFor();
  await expect.poll(() => row.getByRole('cell').nth(1).innerText()).toBe('1');
  await inspect(page, 'refused');
  await row.getByRole('button', { name: `Allow ${stranger.origin}` }).click();
  await inspect(page, 'allow-origin');
  await dialog('Allow this origin?')
    .getByRole('button', { name: `Allow ${stranger.origin}` })
    .click();
  await page.getByText(`Pages on ${stranger.origin} may now start sessions.`).waitFor();
  await visitor.reload();
  await visitor.getByRole('button', { name: 'Start' }).click();
  await isIn(visitor, 'speaking');
  await visitor.close();
  expect(complaints).toEqual([]);
});

test('the other screens and dialogs are accessible, fit a phone and keep no secret', async () => {
  await openScreen('Sessions');
  await page.getByText('More filters').click();
  await page.getByLabel('First day').fill('2000-01-01');
  await page.getByLabel('Last day').fill('2000-01-02');
  await page.keyboard.press('Enter');
  await page.getByText('No session matches these filters.').waitFor();
  await expect.poll(() => page.url()).toContain('from=2000-01-01&to=2000-01-02');
  await inspect(page, 'no-match');
  await button('Clear filters').click();
  await page.getByRole('row').nth(1).waitFor();
  const sessions = await downloaded('Download CSV');
  expect(sessions[0]).toBe('sessionId,experienceId,status,source,createdAt,seconds,origin,userId,locale');
  expect(sessions.filter((row) => row.startsWith('ses_'))).toHaveLength(3);

  await openScreen('Limits');
  await page.getByRole('heading', { name: 'Usage of the last 30 days' }).waitFor();
  await inspect(page, 'limits');
  const usage = await downloaded('Download CSV');
  expect(usage).toEqual([
    'day,experienceId,sessions,seconds',
    expect.stringMatching(/^\d{4}-\d\d-\d\d,exp_shop_guide,3,\d+$/),
  ]);
  await openScreen('Activity');
  await page.getByText('project.update').first().waitFor();
  await page.locator('summary').first().click();
  await inspect(page, 'activity');
  await openScreen('Team');
  await button('Add operator').click();
  await field('Name').fill('Ada');
  await inspect(page, 'add-operator');
  await dialog('Add an operator').getByRole('button', { name: 'Add operator' }).click();
  const token = await page.locator('pre').innerText();
  expect(token).toMatch(/^slo_/);
  await inspect(page, 'operator-token', token);
  await button('Done').click();
  await page.getByRole('rowheader', { name: 'Ada' }).waitFor();
  await inspect(page, 'team');
  await openScreen('System');
  await page.getByText('signs new tokens').waitFor();
  await inspect(page, 'system');
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: 'Title or id' }).fill('shop g');
  await dialog('Jump to').getByRole('link', { name: 'Shop guide' }).waitFor();
  await inspect(page, 'jump');
  await page.keyboard.press('Escape');
  await page.goto(`${home}/console/#/parts`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await inspect(page, 'parts');
  expect(complaints).toEqual([]);
});
