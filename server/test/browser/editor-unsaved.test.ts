import { useBrowser } from '@session-launch/testing/browser.ts';
import { editorOf } from '@session-launch/testing/editing.ts';
import { createWorld, runtime } from '@session-launch/testing/world.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsoleTab, inspect, keepToasts, openConsole } from '../harness/console.ts';
import { createOperator } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
const editor = editorOf(service);
let context: BrowserContext;
let tab: ConsoleTab;
let projectId: string;
let experienceId: string;

beforeAll(async () => {
  context = await open();
  tab = await openConsole(context, service);
});
afterAll(() => context?.close());
beforeEach(async () => {
  const topics = [{ id: 'hours', ask: { en: 'When are you open?' }, tell: { en: 'From nine to five.' } }];
  ({ projectId, experienceId } = await createWorld(service, {
    experience: { title: 'The harbor', runtime: runtime({ mind: { topics } }) },
  }));
});

const open = async () => {
  const context = await browser.open({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await context.addInitScript(keepToasts);
  return context;
};
const route = (name: string) => `/${projectId}/experiences/${experienceId}/${name}`;
const yaml = () => tab.page.getByRole('textbox', { name: 'YAML of the experience' });
const stored = async () => (await editor.read(experienceId)).experience;
const notice = () => tab.page.getByText('You have unsaved changes from');
const keptChanges = () => tab.page.getByRole('heading', { name: /^Your unsaved changes to / });

/** Opens the list of experiences without a click, which would take the focus out of the field. */
async function leave(): Promise<void> {
  await tab.page.evaluate(`location.hash = '#/${projectId}/experiences'`);
  // The page would not notice an address that is replaced before it has read it.
  await tab.page.getByRole('heading', { name: 'Experiences', level: 1 }).waitFor();
}

/** Continues with the unsaved changes that a tab of the editor offers. */
async function resume(name: string): Promise<void> {
  await tab.show(route(name));
  await notice().waitFor();
  await tab.button('Continue').click();
}

/** Writes this at the beginning of the text, and returns before the editor has read it. */
async function typeYaml(line: string): Promise<void> {
  await yaml().click();
  await tab.page.keyboard.press('Control+Home');
  await tab.page.keyboard.insertText(`${line}\n`);
}

/** Has unsaved changes in an experience that is deleted. */
async function writeAndDelete(field: string, text: string): Promise<void> {
  await tab.show(route('setup'));
  await tab.field(field).fill(text);
  await tab.page.getByText(/^Unsaved changes, (checked|1 problem)$/).waitFor();
  expect((await editor.remove(experienceId)).status).toBe(204);
  await tab.page.getByText('Your unsaved changes are kept').waitFor();
  await tab.page.reload();
  await keptChanges().waitFor();
}

test('the last text of the YAML tab survives a reload and leaving the editor at once', async () => {
  await tab.show(route('yaml'));
  await typeYaml('description: Reloaded at once');
  await tab.page.reload();
  await resume('yaml');
  await yaml().getByText('Reloaded at once').waitFor();
  await tab.button('Save draft').click();
  await expect.poll(async () => (await stored()).description).toBe('Reloaded at once');

  await typeYaml('avatarId: maren');
  await leave();
  await resume('yaml');
  await yaml().getByText('avatarId: maren').waitFor();

  // A browser under load aborts the transactions of a page that is left.
  await tab.page.evaluate(`{
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...values) {
      const asked = put.apply(this, values);
      this.transaction.abort();
      return asked;
    };
  }`);
  await typeYaml('galleryThumb: /locations/lab/wide.svg');
  await tab.page.reload();
  await resume('yaml');
  await yaml().getByText('galleryThumb: /locations/lab/wide.svg').waitFor();
});

test('text in a field that was not left is saved by Ctrl+S and survives a reload and leaving the editor', async () => {
  await tab.show(route('access'));
  await tab.field('Allow origin').fill('https://shop.example');
  await tab.page.keyboard.press('Control+s');
  await expect.poll(async () => (await stored()).allowedOrigins).toEqual(['https://shop.example']);

  await tab.show(route('gallery'));
  await tab.field('Add a use case').fill('museums');
  await tab.page.reload();
  await resume('gallery');
  await tab.button('Remove museums').waitFor();

  await tab.show(route('mind'));
  await tab.field('Id').fill('opening');
  await leave();
  await resume('mind');
  await expect.poll(() => tab.field('Id').inputValue()).toBe('opening');
  await tab.page.keyboard.press('Control+s');
  await expect.poll(async () => (await stored()).runtime.mind.topics[0].id).toBe('opening');
  expect((await stored()).taxonomy.useCases).toEqual(['museums']);
});

test('a change of another operator leaves text in a field as it is', async () => {
  await tab.show(route('access'));
  await tab.field('Allow origin').fill('https://sh');
  const { experience, version } = await editor.read(experienceId);
  await editor.ok(editor.save({ ...experience, title: 'The old harbor' }, version));
  await tab.page.getByRole('heading', { name: 'The old harbor', level: 1 }).waitFor();
  await expect.poll(() => tab.field('Allow origin').inputValue()).toBe('https://sh');
  await tab.field('Allow origin').fill('');
});

test('earlier unsaved changes to a field that was changed again are a choice, and stay if it is cancelled', async () => {
  const { page, field, button } = tab;
  await tab.show(route('setup'));
  await field('Title').fill('The harbor at dawn');
  await page.reload();
  await notice().waitFor();
  await field('Title').fill('The harbor at dusk');
  await button('Continue').click();
  const conflict = tab.dialog('The draft and your earlier changes differ');
  await conflict.getByRole('radio', { name: 'The harbor at dawn' }).check();
  await inspect(page, 'unsaved-conflict');
  await button('Cancel').click();
  await notice().waitFor();
  await expect.poll(() => field('Title').inputValue()).toBe('The harbor at dusk');
  await button('Continue').click();
  await conflict.getByRole('radio', { name: 'The harbor at dawn' }).check();
  await button('Merge').click();
  await notice().waitFor({ state: 'detached' });
  await expect.poll(() => field('Title').inputValue()).toBe('The harbor at dawn');
});

test('a save that fails after the editor was left is reported, and its changes are offered again', async () => {
  const { page, field } = tab;
  await tab.show(route('setup'));
  await field('Title').fill('The harbor at dusk');
  const { experience, version } = await editor.read(experienceId);
  const isSave = (url: URL) => url.pathname.endsWith(experienceId) && !url.searchParams.has('plan');
  await page.route(isSave, async (intercepted) => {
    if (intercepted.request().method() === 'PUT') {
      await leave();
      await editor.ok(editor.save({ ...experience, title: 'The harbor at dawn' }, version));
    }
    return intercepted.continue();
  });
  await page.keyboard.press('Control+s');
  await page.getByText('Not saved: The harbor at dusk.').waitFor();
  await page.unroute(isSave);
  await resume('setup');
  await expect.poll(() => field('Title').inputValue()).toBe('The harbor at dusk');
  expect((await stored()).title).toBe('The harbor at dawn');
});

test('unsaved changes to a deleted experience can be copied, discarded and restored, and create it again', async () => {
  await writeAndDelete('Title', 'The harbor at night');
  await expect.poll(() => keptChanges().innerText()).toBe('Your unsaved changes to The harbor at night');
  await inspect(tab.page, 'missing-unsaved');
  await tab.button('Copy as YAML').click();
  await tab.page.getByText('The YAML is copied').waitFor();
  const copied = await tab.page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toContain(`  - id: ${experienceId}\n`);
  expect(copied).toContain('title: The harbor at night\n');

  await tab.button('Discard').click();
  await tab.page.getByRole('heading', { name: 'It may have been deleted' }).waitFor();
  await inspect(tab.page, 'missing');
  await tab.button('Undo').click();
  await tab.button('Create again').click();
  await tab.page.getByText('Created The harbor at night again, as a draft.').waitFor();
  await tab.page.getByText('No unsaved changes').waitFor();
  await expect.poll(() => stored()).toMatchObject({ title: 'The harbor at night', status: 'draft' });
  await tab.page.reload();
  await tab.page.getByText('No unsaved changes').waitFor();
  await expect.poll(() => notice().count()).toBe(0);
});

test('a deleted experience gets another id and slug if these are taken, and keeps changes that have problems', async () => {
  const { slug } = await stored();
  await writeAndDelete('Slug', 'Not a slug');
  const other = { slug, title: 'Instead', runtime: runtime() };
  await editor.ok(editor.create(projectId, other), 201);
  await tab.button('Create again').click();
  await tab.page.getByText('Created The harbor again, as it was last saved.').waitFor();
  await expect.poll(() => tab.page.url()).toMatch(/\/experiences\/exp_the_harbor_\w+\/setup$/);
  await notice().waitFor();
  await tab.button('Continue').click();
  await tab.page.getByText('Unsaved changes, 1 problem').waitFor();
  await expect.poll(() => tab.field('Slug').inputValue()).toBe('Not a slug');
  expect(tab.complaints.filter((text) => /^exception|policy violation/.test(text))).toEqual([]);
});

test('an operator who may no longer create experiences can copy unsaved changes, and others do not see them', async () => {
  const ada = await createOperator(service, { name: 'Ada', role: 'creator' });
  const own = tab;
  await writeAndDelete('Title', 'The harbor of the owner');
  const adas = await open();
  try {
    tab = await openConsole(adas, service, ada.operatorId);
    await tab.show(route('setup'));
    await tab.page.getByRole('heading', { name: 'There is no such experience' }).waitFor();
    await expect.poll(() => keptChanges().count()).toBe(0);

    ({ experienceId } = await createWorld(service, { project: { id: projectId } }));
    await writeAndDelete('Title', 'The harbor of Ada');
    const path = `/admin/operators/${ada.operatorId}`;
    await service.admin({ method: 'PATCH', path, body: { role: 'viewer' } });
    await tab.page.reload();
    await tab.page.getByText('Your role, viewer, cannot create experiences.').waitFor();
    await expect.poll(() => tab.button('Create again').count()).toBe(0);
    await tab.button('Copy as YAML').waitFor();
    await inspect(tab.page, 'missing-viewer');
  } finally {
    tab = own;
    await adas.close();
  }
});
