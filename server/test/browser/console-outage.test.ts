import { useBrowser } from '@session-launch/testing/browser.ts';
import { freePort, type PostgresServer, startPostgres } from '@session-launch/testing/postgres-server.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleTab, openConsole } from '../harness/console.ts';
import { type Installation, installService } from '../harness/installation.ts';

const browser = useBrowser();
let postgres: PostgresServer;
let installation: Installation;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let env: Record<string, string>;
let service: ServiceProcess;
let projectId: string;
let context: BrowserContext;
let tab: ConsoleTab;

const start = () => startProcess(env, folder.path, undefined, 'pipe', installation.program);

beforeAll(async () => {
  [postgres, installation, folder] = await Promise.all([
    startPostgres(),
    installService(),
    temporaryFolder(),
  ]);
  env = {
    DATABASE_URL: postgres.url('postgres'),
    DATA_DIR: folder.path,
    ADMIN_PORT: String(await freePort()),
    SHUTDOWN_GRACE_SECONDS: '0',
  };
  service = await start();
  projectId = (await createWorld(service)).projectId;
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  tab = await openConsole(context, service);
});
afterAll(async () => {
  await context?.close();
  await service?.kill('SIGTERM');
  await Promise.all([postgres?.dispose(), installation?.remove(), folder?.remove()]);
});

const noAnswer = () => tab.page.getByText('The service does not answer. Trying again…');
/** Failed requests are expected here; exceptions, policy violations and requests to other hosts are not. */
const seriousComplaints = () =>
  tab.complaints.filter((one) => /exception|policy|outside request|TypeError/.test(one));

test('while the service restarts, the console says so, reconnects, and keeps what was typed', async () => {
  const { page, button, field, dialog } = tab;
  await tab.show(`/${projectId}/keys`);
  await button('Create key').click();
  await field('Name').fill('typed before');
  await service.kill('SIGTERM');
  await noAnswer().waitFor();
  const create = dialog('Create key').getByRole('button', { name: 'Create key' });
  await create.click();
  await dialog('Create key').getByText('The service does not answer.').waitFor();

  service = await start();
  await noAnswer().waitFor({ state: 'detached' });
  await expect.poll(() => field('Name').inputValue()).toBe('typed before');
  await create.click();
  await dialog('Your new key').waitFor();
  await button('Done').click();
  await button('Close without copying').click();
  await page.getByRole('rowheader', { name: 'typed before' }).waitFor();
  expect(seriousComplaints()).toEqual([]);
});

test('a new build behind an open tab is offered with "Reload"; a missing file as well; nothing typed is lost', async () => {
  const { page, button } = tab;
  await tab.show(`/${projectId}/limits`);
  const limit = page.getByRole('textbox', { name: 'Sessions per day' });
  await limit.fill('4321');
  await service.kill('SIGTERM');
  await installation.updateConsole();
  service = await start();
  await page.getByText('A new version of the console is available.').waitFor();
  await expect.poll(() => limit.inputValue()).toBe('4321');

  // The code of this screen has not been loaded yet, and its file no longer exists.
  await page.goto(`${service.adminUrl}/console/#/parts`);
  await page.getByRole('heading', { name: 'This part could not be loaded' }).waitFor();
  await button('Reload').last().click();
  await page.getByRole('heading', { name: 'Parts', level: 1 }).waitFor();
  await expect.poll(() => page.locator('html').getAttribute('data-build')).toBe('new');
  await expect.poll(() => page.getByText('A new version of the console is available.').count()).toBe(0);

  await tab.show(`/${projectId}/limits`);
  await expect.poll(() => limit.inputValue()).toBe('4321');
  await button('Discard changes').click();
  await expect.poll(() => limit.inputValue()).toBe('');
  expect(seriousComplaints()).toEqual([]);
});

test('while the database is away, the console says so in words and recovers alone', async () => {
  const { page } = tab;
  await tab.show(`/${projectId}/overview`);
  await postgres.stop('immediate');
  const words = /cannot reach its database/;
  // What was loaded stays, with a note.
  await page.locator('.banner', { hasText: words }).waitFor();
  await expect.poll(() => page.getByRole('heading', { name: 'Set up' }).isVisible()).toBe(true);
  await page.getByRole('link', { name: 'Sessions', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: words }).waitFor();

  await postgres.start();
  await page.getByRole('heading', { name: 'No sessions' }).waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('heading', { name: 'Set up' }).waitFor();
  await expect.poll(() => page.locator('.banner').count()).toBe(0);
  expect(seriousComplaints()).toEqual([]);
});
