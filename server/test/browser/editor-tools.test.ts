import { useBrowser, watch } from '@session-launch/testing/browser.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../harness/accessibility.ts';
import { startToolServer, type ToolServer } from '../harness/tool-server.ts';

const browser = useBrowser();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: ServiceProcess;
let tool: ToolServer;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  folder = await temporaryFolder();
  await prepareDataFolder(folder.path, inject('dataFolder'));
  tool = await startToolServer();
  service = await startProcess({
    ...{ DATA_DIR: folder.path, DEMO: 'on', RUNTIME: 'off', WEBHOOK_ALLOW_PRIVATE: 'on' },
  });
  context = await browser.open({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  page = await context.newPage();
  const [, link = ''] = /Console\s+(\S+)/.exec(service.stdout()) ?? [];
  const home = new URL(link).origin;
  complaints = await watch(page, home, service.url);
  await page.goto(link);
  await page.getByRole('link', { name: 'Experiences', exact: true }).waitFor();
  await page.goto(`${home}/console/#/prj_demo/experiences/exp_harbor_guide/mind`);
  await page.getByRole('heading', { name: 'Tools', exact: true }).waitFor();
});
afterAll(async () => {
  await context?.close();
  await service?.kill('SIGTERM');
  await tool?.close();
  await folder?.remove();
});

const item = (name: string | RegExp) => page.getByRole('region', { name });
const button = (name: string, within: Page | ReturnType<typeof item> = page) =>
  within.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const text = (name: string, within: ReturnType<typeof item>) =>
  within.getByRole('textbox', { name, exact: true });

test('the tab Mind edits a tool and shows what is wrong with it', async () => {
  await button('Add tool').click();
  const card = item('Tool 1: tool');
  await text('Description', card).fill('Books a table.');
  await text('Address', card).fill('http://booking.example.com/');
  await text('Parameters (JSON Schema)', card).fill(
    '{"type":"object","properties":{"people":{"pattern":"a"}}}',
  );
  await card.getByText('must begin with https://, unless it names a loopback address').waitFor();
  await card.getByText('properties.people.pattern is not supported in parameters').waitFor();
  await text('Parameters (JSON Schema)', card).fill('{"type":');
  await card.getByText('This is not valid JSON.').waitFor();
  await text('Address', card).fill(tool.url);
  await text('Parameters (JSON Schema)', card).fill(
    JSON.stringify({
      type: 'object',
      properties: { people: { type: 'integer', minimum: 2 } },
      required: ['people'],
    }),
  );
  await text('Name', card).fill('book_table');
  await text('Name', card).press('Enter');
  await item('Tool 1: book_table').waitFor();
  expect(await accessibilityProblems(page, 'main')).toEqual([]);
});

test('without a secret it warns; the new secret is shown once and signs the calls', async () => {
  const part = page.getByRole('region', { name: 'Tools', exact: true });
  await part.getByText('Calls are not signed').waitFor();
  await button('Create a secret').click();
  const [secret = ''] = /whsec_[A-Za-z0-9+/]{43}=/.exec((await dialog().textContent()) ?? '') ?? [];
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
  await part.getByText('Calls are signed with a secret').waitFor();

  await button('Try it').click();
  await expect.poll(() => text('Arguments (JSON)', dialog()).inputValue()).toContain('"people": 2');
  tool.answer = (response) => response.writeHead(201).end('{"booked":"19:30"}');
  await button('Send', dialog()).click();
  await dialog().getByText('Done', { exact: true }).waitFor();
  const shown = (await dialog().textContent()) ?? '';
  expect(shown).toContain('{"booked":"19:30"}');
  expect(shown).toContain('webhook-signature: v1,');
  expect(shown).toContain('"arguments":{"people":2}');
  expect(tool.verifies(secret, tool.calls[0]!)).toBe(true);
  expect(await accessibilityProblems(page, 'dialog')).toEqual([]);
});

test('arguments that do not match are not sent, and text that is no JSON is a problem of the field', async () => {
  await text('Arguments (JSON)', dialog()).fill('{"people":1}');
  await button('Send', dialog()).click();
  await dialog().getByText('Not sent: arguments').waitFor();
  await dialog().getByText('people must be >= 2').waitFor();
  await text('Arguments (JSON)', dialog()).fill('two');
  await button('Send', dialog()).click();
  await dialog().getByText('Write a JSON object').waitFor();
  expect(tool.calls).toHaveLength(1);
  await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
});

test('a topic calls a tool instead of offering topics, and the draft keeps both', async () => {
  const topic = item(/^Topic 1:/);
  await topic.getByRole('button', { expanded: false }).first().click();
  const choice = topic.getByRole('combobox', { name: 'After the answer' });
  await choice.selectOption('book_table');
  await topic.getByText('does not match the parameters of "book_table": people is required').waitFor();
  await text('Arguments (JSON)', topic).fill('{"people": 3}');
  await expect
    .poll(() => topic.getByText('does not match the parameters').count(), { timeout: 20_000 })
    .toBe(0);
  await button('Save draft').click();
  await page.getByText('No unsaved changes').first().waitFor();
  await page.reload();
  await item('Tool 1: book_table').waitFor();
  await item(/^Topic 1:/)
    .getByText('calls book_table')
    .waitFor();
  // The checks of a draft with problems are answered with 400.
  expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
});
