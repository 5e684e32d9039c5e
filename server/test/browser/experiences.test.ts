import { text as textOf } from 'node:stream/consumers';
import { useBrowser, watch } from '@session-launch/testing/browser.ts';
import { targetAt } from '@session-launch/testing/deployment.ts';
import { editorOf } from '@session-launch/testing/editing.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import type { Target } from '@session-launch/testing/target.ts';
import {
  apply,
  createKey,
  experience,
  mintFromServer,
  project,
  runtime,
} from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { inspect, keepToasts } from '../harness/console.ts';
import { codeFor, createOperator } from '../harness/operators.ts';
import { focusedControl } from '../harness/tab-walk.ts';

const browser = useBrowser();
let service: Target;
let editor: ReturnType<typeof editorOf>;
let context: BrowserContext;
let page: Page;
/** Complaints of the console's page. */
let complaints: string[];
let home: string;

beforeAll(async () => {
  service = targetAt(inject('talking'));
  editor = editorOf(service);
  home = new URL(service.adminUrl).origin;
  context = await browser.open({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  await context.addInitScript(keepToasts);
  const ada = await createOperator(service, { name: 'Ada Creator', role: 'creator' });
  page = await signIn(ada.operatorId);
});
afterAll(() => context?.close());

async function signIn(operatorId?: string, inContext = context): Promise<Page> {
  const opened = await inContext.newPage();
  complaints = await watch(opened, home, service.url);
  await opened.goto(`${service.adminUrl}/console/#code=${await codeFor(service, operatorId)}`);
  await opened.getByRole('button', { name: 'Sign out' }).waitFor();
  return opened;
}

/** Creates a project with an experience of each title, in this order. */
async function createProject(titles: readonly string[], fields: object = {}): Promise<string> {
  const file = {
    project: project(),
    experiences: titles.map((title, index) => ({
      ...experience({ title, sortOrder: index * 10, status: 'draft' }),
      ...fields,
    })),
  };
  const applied = await apply(service, file);
  expect(applied.status, applied.text).toBe(200);
  return file.project.id;
}

async function openList(projectId: string, query = ''): Promise<void> {
  await page.evaluate(`location.hash = '#/${projectId}/experiences${query}'`);
  await page.getByRole('heading', { name: 'Experiences', exact: true, level: 1 }).waitFor();
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name });
const list = () =>
  page.getByRole('list', { name: 'Experiences of the project, in the order of the catalog' });
const row = (title: string) => list().getByRole('listitem').filter({ hasText: title });
const titles = () => list().locator('.name > a').allInnerTexts();
const toast = (text: string) => page.locator('.toast', { hasText: text });
const idOf = async (projectId: string, title: string): Promise<string> =>
  (await stored(projectId)).find((one) => one.title === title)?.experienceId ?? '';
const stored = async (
  projectId: string,
): Promise<{ experienceId: string; title: string; version: number }[]> =>
  (await editor.list(projectId)).experiences;
const storedTitles = async (projectId: string) => (await stored(projectId)).map(({ title }) => title);

async function choose(title: string, action: string): Promise<void> {
  await button(`Actions for ${title}`).click();
  await list().getByRole('button', { name: action, exact: true }).click();
}

/** The complaints since the last call, without those about these expected statuses. */
function unexpected(...statuses: number[]): string[] {
  const isExpected = (line: string) =>
    statuses.some((status) => line.includes(`status ${status}`) || line.includes(`status of ${status}`));
  return complaints.splice(0).filter((line) => !isExpected(line));
}

/** What each template must be able to answer, by its title in the test. */
const templates = [
  {
    name: 'Guide',
    greeting: /^Welcome! I am Robin/,
    ask: 'When are you open?',
    answer: /ten .*six/,
    hasFace: true,
  },
  {
    name: 'Teacher (dual)',
    greeting: /Tomás.*Buenos días/s,
    ask: 'Buenos dias',
    answer: /¿Cuánto cuesta\?/,
    hasFace: true,
  },
  {
    name: 'Presenter',
    greeting: /I am Amara/,
    ask: 'What does it cost?',
    answer: /^Nothing for the program/,
    hasFace: true,
  },
  {
    name: 'Voice only',
    greeting: /Kit/,
    ask: 'Can you repair my bike?',
    answer: /^Surely\./,
    hasFace: false,
  },
  { name: 'Empty', greeting: /^Hello! I am Sam\.$/, ask: 'Who are you?', answer: /Sam/, hasFace: false },
];

test('creates an experience from each template, which opens in the editor and talks at once', async () => {
  const projectId = await createProject([]);
  await openList(projectId);
  await page.getByRole('heading', { name: 'No experiences yet' }).waitFor();
  await inspect(page, 'empty');
  for (const [index, { name }] of templates.entries()) {
    if (index > 0) await openList(projectId);
    await button('New experience').first().click();
    await dialog('New experience').getByRole('textbox', { name: 'Title' }).fill(`My ${name}`);
    await dialog('New experience').getByRole('radio', { name }).check();
    if (index === 0) await inspect(page, 'new');
    await button('Create experience').click();
    await toast(`Created My ${name} as a draft.`).waitFor();
    await expect.poll(() => page.url()).toMatch(/\/experiences\/exp_my_\w+\/setup$/);
  }
  // A second one of the same title gets another id and slug.
  await openList(projectId);
  await row('My Guide').waitFor();
  await button('New experience').click();
  await dialog('New experience').getByRole('textbox', { name: 'Title' }).fill('My Guide');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toMatch(/\/experiences\/exp_my_guide_2\/setup$/);
  await openList(projectId);
  await expect.poll(titles).toEqual([...templates.map(({ name }) => `My ${name}`), 'My Guide']);
  await inspect(page, 'list');

  const { key } = await createKey(service, projectId);
  const talks = templates.map(async ({ name, greeting, ask, answer, hasFace }) => {
    const minted = await mintFromServer(service, key, { experienceId: await idOf(projectId, `My ${name}`) });
    expect(minted.status, minted.text).toBe(201);
    const { launch } = minted.json;
    expect(launch.characters[0].avatar !== undefined, name).toBe(hasFace);
    expect(launch.location !== undefined && launch.location !== null, name).toBe(hasFace);
    if (hasFace) {
      const { avatarId } = launch.characters[0].avatar;
      expect((await fetch(`${service.url}/avatars/${avatarId}/rig.json`)).status).toBe(200);
    }
    const talker = new Talker(launch.transport.url, launch.sessionToken);
    const isSaid = (event: { role?: string; status?: string }) =>
      event.role === 'character' && event.status === 'final';
    expect((await talker.event(isSaid)).text, name).toMatch(greeting);
    expect(await talker.ask(ask), name).toMatch(answer);
    await talker.leave();
  });
  await Promise.all(talks);
  expect(unexpected()).toEqual([]);
});

test('moves rows by buttons, by keys and by dragging, announces it and undoes it', async () => {
  const projectId = await createProject(['One', 'Two', 'Three', 'Four']);
  await openList(projectId);
  await row('One').waitFor();
  const becomes = async (...order: string[]) => {
    await expect.poll(titles).toEqual(order);
    await expect.poll(() => storedTitles(projectId)).toEqual(order);
  };
  const announced = page.locator('p[role=status].hidden-text');

  await row('Three').getByRole('button', { name: 'Move up', exact: true }).click();
  await becomes('One', 'Three', 'Two', 'Four');
  await expect.poll(() => focusedControl(page)).toBe('button Move up');
  await expect.poll(() => announced.innerText()).toBe('Three is now number 2 of 4.');
  await row('Three').getByRole('button', { name: 'Move up', exact: true }).click();
  await becomes('Three', 'One', 'Two', 'Four');
  await page.keyboard.press('Enter');
  await expect.poll(() => announced.innerText()).toBe('Three is the first one.');
  // One "Undo" takes back both moves of the same row.
  await toast('Moved Three.').getByRole('button', { name: 'Undo' }).click();
  await becomes('One', 'Two', 'Three', 'Four');

  await row('Two').getByRole('link', { name: 'Two' }).focus();
  for (const _ of [1, 2]) await page.keyboard.press('Alt+ArrowDown');
  await becomes('One', 'Three', 'Four', 'Two');
  await expect.poll(() => focusedControl(page)).toBe('link Two');
  await page.keyboard.press('Alt+ArrowUp');
  await becomes('One', 'Three', 'Two', 'Four');

  const handle = await row('Four').locator('.handle').boundingBox();
  const target = await row('One').boundingBox();
  await page.mouse.move(handle!.x + 5, handle!.y + 5);
  await page.mouse.down();
  await page.mouse.move(target!.x + 20, target!.y + 30, { steps: 4 });
  await page.mouse.move(target!.x + 20, target!.y + 5, { steps: 2 });
  await inspect(page, 'dragging');
  await page.mouse.up();
  await becomes('Four', 'One', 'Three', 'Two');
  await toast('Moved Four.').getByRole('button', { name: 'Undo' }).click();
  await becomes('One', 'Three', 'Two', 'Four');
  await page.mouse.move(handle!.x + 5, handle!.y + 5);
  await page.mouse.down();
  await page.mouse.move(target!.x + 20, target!.y + 5, { steps: 4 });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await becomes('One', 'Three', 'Two', 'Four');
  expect(unexpected()).toEqual([]);
});

test('repeats a move on an order that another operator changed, and holds back changes while a row is in use', async () => {
  const projectId = await createProject(['One', 'Two', 'Three']);
  await openList(projectId);
  await row('Three').getByRole('link', { name: 'Three' }).focus();
  const ids = (await stored(projectId)).map(({ experienceId }) => experienceId);
  const { version } = await editor.list(projectId);
  await editor.ok(editor.order(projectId, [ids[1], ids[0], ids[2]], version));
  await page.getByText('Another operator changed this list.').waitFor();
  await expect.poll(() => titles()).toEqual(['One', 'Two', 'Three']);
  await inspect(page, 'held');
  // Up by one as shown: before "Two", which is first by now.
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => storedTitles(projectId)).toEqual(['Three', 'Two', 'One']);
  await expect.poll(titles).toEqual(['Three', 'Two', 'One']);
  await toast('changed the order at the same time').waitFor();
  // Undo moves back only the row that was moved here: "Two" stays before "One".
  await toast('Moved Three.').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => storedTitles(projectId)).toEqual(['Two', 'Three', 'One']);
  await expect.poll(titles).toEqual(['Two', 'Three', 'One']);
  expect(unexpected(412)).toEqual([]);
});

test('filters by text, state and readiness, and keeps the filters in the address', async () => {
  const projectId = await createProject(['Café Lisboa', 'Harbor', 'Old harbor', 'Archive']);
  const [cafe, , , archive] = await stored(projectId);
  await editor.ok(editor.publish(cafe!.experienceId, cafe!.version));
  await editor.ok(editor.archive(archive!.experienceId, archive!.version));
  await openList(projectId);
  await page.getByText('1 archived experience is not shown.').waitFor();
  await expect.poll(() => titles()).toEqual(['Café Lisboa', 'Harbor', 'Old harbor']);
  await page.getByRole('searchbox', { name: 'Search' }).fill('cafe');
  await expect.poll(titles).toEqual(['Café Lisboa']);
  await expect.poll(() => page.url()).toContain(`#/${projectId}/experiences?q=cafe`);
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it');
  await page.getByRole('heading', { name: 'No experience matches these filters.' }).waitFor();
  await inspect(page, 'no-match');
  await button('Clear filters').click();
  await page.getByRole('combobox', { name: 'State' }).selectOption({ label: 'Published' });
  await expect.poll(titles).toEqual(['Café Lisboa']);
  await page.reload();
  await expect.poll(titles).toEqual(['Café Lisboa']);
  await page.getByRole('combobox', { name: 'State' }).selectOption({ label: 'All but archived' });
  await page.getByRole('combobox', { name: 'Catalog' }).selectOption({ label: 'Ready' });
  await page.getByRole('heading', { name: 'No experience matches these filters.' }).waitFor();
  await button('Clear filters').click();
  await button('Show archived').click();
  await expect.poll(titles).toEqual(['Archive']);
  await expect.poll(() => page.url()).toContain('state=archived');
  await choose('Archive', 'Restore as a draft');
  await toast('Archive is a draft again.').waitFor();
  // Moving among the rows that a filter shows moves past the hidden ones.
  await openList(projectId, '?q=harbor');
  await expect.poll(titles).toEqual(['Harbor', 'Old harbor']);
  await row('Old harbor').getByRole('button', { name: 'Move up' }).click();
  await expect
    .poll(() => storedTitles(projectId))
    .toEqual(['Café Lisboa', 'Old harbor', 'Harbor', 'Archive']);
  expect(unexpected()).toEqual([]);
});

test('publishes, unpublishes, archives, duplicates and deletes, with a way back', async () => {
  const projectId = await createProject(['Guide', 'Used']);
  await openList(projectId);
  await choose('Guide', 'Publish r1');
  await row('Guide').getByText('published r1', { exact: true }).waitFor();
  const guide = await editor.read(await idOf(projectId, 'Guide'));
  await editor.ok(
    editor.save(
      { ...guide.experience, title: 'Guide', runtime: runtime({ mode: 'presenter' }) },
      guide.version,
    ),
  );
  await row('Guide').getByText('published r1, draft r2').waitFor();
  await inspect(page, 'states');
  await choose('Guide', 'Publish r2');
  await row('Guide').getByText('published r2', { exact: true }).waitFor();
  await toast('published as r2').getByRole('button', { name: 'Undo' }).click();
  await row('Guide').getByText('published r1, draft r2').waitFor();

  await choose('Guide', 'Duplicate');
  await row('Copy of Guide').getByText('draft r1', { exact: true }).waitFor();
  await choose('Guide', 'Archive');
  await expect.poll(titles).toEqual(['Used', 'Copy of Guide']);
  await expect.poll(() => focusedControl(page)).toBe('button Actions for Used');
  await toast('Guide is archived.').getByRole('button', { name: 'Undo' }).click();
  await row('Guide').first().getByText('published r1, draft r2').waitFor();

  await choose('Copy of Guide', 'Delete');
  await inspect(page, 'delete');
  await button('Delete experience').click();
  await toast('Copy of Guide is deleted.').waitFor();
  await expect.poll(titles).toEqual(['Guide', 'Used']);
  const { key } = await createKey(service, projectId);
  await mintFromServer(service, key, { experienceId: await idOf(projectId, 'Used') });
  await expect.poll(async () => (await editor.list(projectId)).experiences[1].sessionsToday).toBe(1);
  await choose('Used', 'Delete');
  await button('Delete experience').click();
  await dialog('Archive it instead?').waitFor();
  await inspect(page, 'archive-instead');
  await dialog('Archive it instead?').getByRole('button', { name: 'Archive' }).click();
  await expect.poll(titles).toEqual(['Guide']);
  // Another operator changes it between the list and the click.
  const now = await editor.read(await idOf(projectId, 'Guide'));
  await page.route('**/experiences/*/unpublish', async (route) => {
    await editor.ok(editor.publish(now.experience.id, now.version, { revision: 2 }));
    await route.continue();
  });
  await choose('Guide', 'Unpublish');
  await toast('in the meantime').waitFor();
  await row('Guide').getByText('published r2', { exact: true }).waitFor();
  await page.unroute('**/experiences/*/unpublish');
  expect(unexpected(409, 412)).toEqual([]);
});

test('plans and applies a project file, names what it would undo, and exports what applies without a change', async () => {
  const owner = await context.browser()!.newContext({
    viewport: { width: 1280, height: 900 },
  });
  const creators = page;
  const projectId = await createProject(['Café', 'Harbor']);
  try {
    // Only an owner may apply a file; a creator sees the plan.
    await openList(projectId);
    const downloading = page.waitForEvent('download');
    await button('Download').click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`${projectId}.yaml`);
    const exported = await textOf(await download.createReadStream());
    const give = async (name: string, text: string) => {
      if (!(await dialog('Import a project file').isVisible())) await button('Import').click();
      else await button('Choose another file').click();
      const field = dialog('Import a project file').getByLabel('Choose a file');
      await field.setInputFiles({ name, mimeType: 'application/yaml', buffer: Buffer.from(text) });
    };
    await give('shop.yaml', exported.replace('title: Harbor', 'title: Old harbor'));
    await page.getByText('Only an owner can apply a project file.').waitFor();
    await expect.poll(() => button('Apply file').count()).toBe(0);
    await button('Cancel').click();
    const one = list().getByRole('listitem').first();
    const downloadingOne = page.waitForEvent('download');
    await one.getByRole('button', { name: 'Actions for Café' }).click();
    await one.getByRole('button', { name: 'Download YAML' }).click();
    const oneText = await textOf(await (await downloadingOne).createReadStream());
    expect(oneText).toContain('title: Café');
    // Ada changes a title in the console.
    const ada = await createOperator(service, { name: 'Ada Lovelace', role: 'creator' });
    const cafe = await editor.read(await idOf(projectId, 'Café'));
    const saved = await fetch(`${service.adminUrl}/admin/experiences/${cafe.experience.id}`, {
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${ada.token}`,
        'Content-Type': 'application/json',
        'If-Match': `"${cafe.version}"`,
      },
      body: JSON.stringify({ experience: { ...cafe.experience, description: 'By Ada.' } }),
    });
    expect(saved.status).toBe(200);

    page = await signIn(undefined, owner);
    await openList(projectId);
    await row('Café').waitFor();
    // The event of a file picker that is closed without a choice bubbles; the dialog stays. An unreadable file is reported.
    await button('Import').click();
    const chooser = dialog('Import a project file').getByLabel('Choose a file');
    await chooser.dispatchEvent('cancel');
    await page.evaluate(`{
      const { text } = Blob.prototype;
      Blob.prototype.text = () => {
        Blob.prototype.text = text;
        return Promise.reject(new DOMException('gone', 'NotReadableError'));
      };
    }`);
    await chooser.setInputFiles({ name: 'gone.yaml', mimeType: 'application/yaml', buffer: Buffer.from('') });
    await dialog('Import a project file').getByText('The browser cannot read gone.yaml.').waitFor();
    await button('Cancel').click();
    await give('broken.yaml', exported.replace('title: Harbor', 'titel: Harbor'));
    await page.getByRole('heading', { name: /The file has/ }).waitFor();
    const line = exported.split('\n').findIndex((text) => text.includes('title: Harbor')) + 1;
    await dialog('Import a project file').getByText(`Line ${line}`, { exact: true }).first().waitFor();
    await inspect(page, 'import-problems');
    await give('shop.yaml', exported.replace('title: Harbor', 'title: Old harbor'));
    await page.getByRole('heading', { name: 'It would undo changes made in the console' }).waitFor();
    const undone = page.getByRole('alert').getByRole('listitem');
    await expect.poll(() => undone.innerText()).toMatch(/^Café, changed by Ada Lovelace .*\s+description$/);
    await dialog('Import a project file').getByText('Old harbor', { exact: true }).waitFor();
    await inspect(page, 'import-plan');
    await button('Apply and undo those changes').click();
    await toast('shop.yaml is applied.').waitFor();
    await row('Old harbor').getByText('with shop.yaml').waitFor();
    expect((await editor.read(cafe.experience.id)).experience.description).toBeUndefined();

    // The export of the project, applied again, changes nothing. Dropped anywhere on the screen.
    const again = (await service.admin({ path: `/admin/projects/${projectId}?format=yaml` })).text;
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(again)}], 'same.yaml'));
      document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
    }`);
    await page.getByText('No changes: the project already matches the file.').waitFor();
    // A file of a project that does not exist yet creates it and opens it.
    const other = `${projectId}_b`;
    const copied = again.replaceAll(projectId, other).replaceAll(/(id: exp_\w+)/g, '$1b');
    await give('other.json', copied);
    await page.getByRole('heading', { name: /The file has/ }).waitFor();
    await give('other.yaml', copied);
    await page.getByText(`There is no project ${other} yet.`).waitFor();
    await button('Apply file').click();
    await expect.poll(() => page.url()).toContain(`#/${other}/experiences`);
    await expect.poll(titles).toEqual(['Café', 'Old harbor']);
    expect(unexpected(400)).toEqual([]);
  } finally {
    page = creators;
    await owner.close();
  }
});

test('leaves out what a role may not do, and shows any title', async () => {
  const odd = [
    'L'.repeat(200),
    '<b>Bold</b> & <script>alert(1)</script>',
    'مرحبا بكم في الميناء القديم',
    '👩‍👩‍👧‍👦 🎉 party',
  ];
  const projectId = await createProject(odd);
  await openList(projectId);
  await expect.poll(titles).toEqual(odd);
  await inspect(page, 'odd-titles');
  const viewers = await context.browser()!.newContext({ viewport: { width: 1280, height: 900 } });
  const creators = page;
  try {
    const viewer = await createOperator(service, { name: 'Vera', role: 'viewer' });
    page = await signIn(viewer.operatorId, viewers);
    await openList(projectId);
    await list().waitFor();
    await page.getByRole('button', { name: `Actions for ${odd[1]}` }).click();
    const names = await page
      .getByRole('main')
      .getByRole('button')
      .evaluateAll((all) =>
        all
          .filter((one) => (one as unknown as { checkVisibility(): boolean }).checkVisibility())
          .map((one) => one.textContent),
      );
    expect(new Set(names)).toEqual(new Set(['Import', 'Download', '⋯', 'Download YAML']));
    await page.keyboard.press('Escape');
    await list().getByRole('link').first().focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => titles()).toEqual(odd);
    await inspect(page, 'viewer');
  } finally {
    page = creators;
    await viewers.close();
  }
});
