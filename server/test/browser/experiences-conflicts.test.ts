import { useBrowser } from '@session-launch/testing/browser.ts';
import { editorOf } from '@session-launch/testing/editing.ts';
import { apply, experience, project } from '@session-launch/testing/world.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsoleTab, inspect, openConsole } from '../harness/console.ts';
import { createOperator, withToken } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
const editor = editorOf(service);
let context: BrowserContext;
let tab: ConsoleTab;
let ada: { token: string };
let projectId: string;
/** The ids of the experiences "Café" and "Harbor". */
let cafe: string;
let harbor: string;

beforeAll(async () => {
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  tab = await openConsole(context, service);
  ada = await createOperator(service, { name: 'Ada Lovelace', role: 'creator' });
});
afterAll(() => context?.close());
beforeEach(async () => {
  const experiences = ['Café', 'Harbor'].map((title, n) =>
    experience({ title, status: 'draft', sortOrder: n * 10 }),
  );
  const file = { project: project(), experiences };
  expect((await apply(service, file)).status).toBe(200);
  projectId = file.project.id;
  [cafe, harbor] = experiences.map(({ id }) => id) as [string, string];
  await tab.show(`/${projectId}/experiences`);
});

/** Changes fields of an experience as Ada. */
async function changeAsAda(id: string, fields: object): Promise<void> {
  const { experience: present, version } = await editor.read(id);
  const answer = await withToken(service, ada.token, {
    method: 'PUT',
    path: `/admin/experiences/${id}`,
    headers: { 'If-Match': `"${version}"` },
    body: { experience: { ...present, ...fields } },
  });
  expect(answer.status, answer.text).toBe(200);
}

test('an experience that was changed after the list was loaded is deleted only after a second look', async () => {
  const { page, button, dialog } = tab;
  await page.route(`**/admin/experiences/${harbor}`, async (route) => {
    const isFirst = (await editor.read(harbor)).experience.description === undefined;
    if (isFirst) await changeAsAda(harbor, { description: 'By Ada.' });
    await route.continue();
  });
  await button('Actions for Harbor').click();
  await page.getByRole('listitem').getByRole('button', { name: 'Delete', exact: true }).last().click();
  await button('Delete experience').click();
  const again = dialog('Delete it anyway?');
  await again.getByText('Ada Lovelace changed Harbor after you opened this list').waitFor();
  await expect.poll(() => again.getByRole('alert').innerText()).toMatch(/Changed just now: description\./);
  await inspect(page, 'delete-changed');
  expect((await editor.read(harbor)).experience.description).toBe('By Ada.');

  await again.getByRole('link', { name: 'Look at the experience' }).click();
  await page.getByRole('heading', { name: 'Harbor', level: 1 }).waitFor();
  await tab.show(`/${projectId}/experiences`);
  await button('Actions for Harbor').click();
  await page.getByRole('listitem').getByRole('button', { name: 'Delete', exact: true }).last().click();
  await button('Delete experience').click();
  await page.getByText('Harbor is deleted.').waitFor();
  await page.unroute(`**/admin/experiences/${harbor}`);
  expect((await editor.list(projectId)).experiences).toHaveLength(1);
});

test('names changes that were saved between the last plan of a file and its application', async () => {
  const { page, button, dialog } = tab;
  const file = (await service.admin({ path: `/admin/projects/${projectId}?format=yaml` })).text;
  await changeAsAda(cafe, { description: 'Seen in the plan.' });
  const give = async () => {
    await button('Import').click();
    await dialog('Import a project file')
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'shop.yaml', mimeType: 'application/yaml', buffer: Buffer.from(file) });
    await page.getByRole('heading', { name: 'It would undo changes made in the console' }).waitFor();
  };
  const isApply = (url: URL) => url.pathname === '/admin/projects' && !url.searchParams.has('plan');
  await page.route(isApply, async (route) => {
    if (route.request().method() !== 'GET') await changeAsAda(harbor, { title: 'Old harbor' });
    await route.continue();
  });
  await give();
  await button('Apply and undo those changes').click();
  const applied = dialog('shop.yaml is applied');
  await applied.getByRole('heading', { name: 'It also undid changes that you have not seen' }).waitFor();
  const undone = applied.getByRole('listitem');
  await expect.poll(() => undone.count()).toBe(1);
  await expect.poll(() => undone.innerText()).toMatch(/^Harbor, changed by Ada Lovelace just now\s+title\s/);
  await inspect(page, 'import-undid');
  await undone.getByRole('link', { name: 'Open its revisions' }).click();
  await expect.poll(() => page.url()).toContain(`/experiences/${harbor}/revisions`);
  await page.getByRole('list', { name: 'Revisions' }).getByText('Ada Lovelace').waitFor();

  // Closed without a look, the list shows the state after the file.
  await changeAsAda(cafe, { description: 'Seen again.' });
  await tab.show(`/${projectId}/experiences`);
  await give();
  await button('Apply and undo those changes').click();
  await applied.waitFor();
  await page.keyboard.press('Escape');
  await applied.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Harbor', exact: true }).waitFor();
  await page.unroute(isApply);
});
