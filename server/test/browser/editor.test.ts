import { useBrowser, watch } from '@session-launch/testing/browser.ts';
import { targetAt } from '@session-launch/testing/deployment.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { experience, project, runtime } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { inspect, keepToasts } from '../harness/console.ts';
import { codeFor, createOperator } from '../harness/operators.ts';

const browser = useBrowser();

const file = {
  project: project(),
  experiences: [
    experience({
      title: 'The harbor',
      status: 'draft',
      runtime: runtime({
        transport: { type: 'websocket' },
        mind: { persona: 'You are Maren.', greeting: { en: ['Good morning!'] } },
      }),
    }),
  ],
};
const projectId = file.project.id as string;
const experienceId = file.experiences[0]!.id as string;
const path = `/admin/experiences/${experienceId}`;

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
type Loose = any;

/** An operator with a browser, at the YAML tab of the experience. */
interface Person {
  operatorId: string;
  token: string;
  context: BrowserContext;
  page: Page;
  /** Complaints about the policy, and exceptions. */
  complaints: string[];
}

let service: Target;
let ada: Person;
let bea: Person;

beforeAll(async () => {
  service = targetAt(inject('talking'));
  await applyFile('shop.yaml@1', file);
  [ada, bea] = await Promise.all([enter('Ada'), enter('Bea')]);
});
afterAll(() => Promise.all([ada, bea].map((person) => person?.context.close())));

async function applyFile(source: string, written: object): Promise<void> {
  const answer = await service.admin({
    method: 'POST',
    path: `/admin/projects?source=${source}`,
    body: written,
  });
  expect(answer.status, answer.text).toBe(200);
}

async function enter(name: string): Promise<Person> {
  const { operatorId, token } = await createOperator(service, { name, role: 'creator' });
  const context = await browser.open({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(keepToasts);
  const page = await context.newPage();
  const complaints = await watch(page, service.adminUrl);
  await page.goto(`${service.adminUrl}/console/#code=${await codeFor(service, operatorId)}`);
  await page.getByRole('link', { name: 'Experiences', exact: true }).waitFor();
  await page.evaluate(`location.hash = '#/${projectId}/experiences/${experienceId}/yaml'`);
  await text(page).waitFor();
  return { operatorId, token, context, page, complaints };
}

const text = (page: Page) => page.getByRole('textbox', { name: 'YAML of the experience' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const openTab = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();

/** Replaces the text of the editor, as a person does. */
async function replaceText(page: Page, written: string): Promise<void> {
  await text(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(written);
}

async function stored(): Promise<Loose> {
  return (await service.admin({ path })).json;
}

/** Writes the stored document with changes into the editor of the YAML tab, as JSON, which is YAML, too. */
async function write(page: Page, change: (document: Loose) => void): Promise<void> {
  const { experience } = await stored();
  change(experience);
  await replaceText(page, JSON.stringify(experience, null, 1));
  await page.getByText('Unsaved changes, checked').waitFor();
}

/** Violations of the policy, and exceptions. */
function violations({ complaints }: Person): string[] {
  return complaints.filter((text) => /^exception|policy violation/.test(text));
}

test('two people edit one experience: the second save shows what the first changed and loses neither', async () => {
  await write(bea.page, (document) => {
    document.title = 'The harbor of Bea';
    document.runtime.mind.greeting.en = ['Bea says hello.'];
  });
  await write(ada.page, (document) => {
    document.title = 'The harbor of Ada';
    document.runtime.mind.persona = 'You are Maren, says Ada.';
  });
  await ada.page.keyboard.press('Control+s');
  await ada.page.getByText('Saved as draft r2.', { exact: false }).waitFor();

  await bea.page.getByText('Ada changed this experience').waitFor();
  await button(bea.page, 'Show what changed').click();
  await bea.page
    .getByRole('dialog', { name: 'What Ada changed' })
    .getByText('You are Maren, says Ada.')
    .waitFor();
  await inspect(bea.page, 'what-changed');
  await bea.page.keyboard.press('Escape');

  await button(bea.page, 'Save draft').click();
  const conflict = bea.page.getByRole('dialog', { name: 'Ada saved this experience while you edited it' });
  await conflict.getByText('Changed by both').waitFor();
  await expect.poll(() => conflict.getByRole('group').innerText()).toContain('Title');
  await inspect(bea.page, 'conflict');
  await conflict.getByRole('radio', { name: 'The harbor of Ada' }).check();
  await button(bea.page, 'Merge and save').click();
  await bea.page.getByText('Saved as draft r3.', { exact: false }).waitFor();
  expect((await stored()).experience).toMatchObject({
    title: 'The harbor of Ada',
    runtime: { mind: { persona: 'You are Maren, says Ada.', greeting: { en: ['Bea says hello.'] } } },
  });

  // Ada has no unsaved changes: the editor takes the new version over.
  await ada.page.getByText('Bea changed this experience. You see the new version.').waitFor();
  await text(ada.page).getByText('Bea says hello.').waitFor();
});

test('a save of another operator between the two requests of a save opens the merge', async () => {
  await write(bea.page, (document) => {
    document.title = 'The harbor at dawn';
  });
  let startRead = () => {};
  let finishRead = () => {};
  const reading = new Promise<void>((resolve) => {
    startRead = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finishRead = resolve;
  });
  const isRead = (url: URL) => url.pathname === path;
  let saved: Promise<unknown> | undefined;
  await bea.page.route(isRead, async (route) => {
    const request = route.request();
    if (request.method() === 'PUT' && !request.url().includes('plan=')) saved ??= request.response();
    if (request.method() === 'GET' && saved !== undefined) {
      // A read that an announcement caused can be earlier than the answer of the save.
      await saved;
      startRead();
      await finished;
    }
    return route.continue();
  });
  await button(bea.page, 'Save draft').click();
  await reading;
  const { experience: latest, version } = await stored();
  expect(latest.title).toBe('The harbor at dawn');
  latest.title = 'The harbor of Ada';
  const byAda = await service.admin({
    method: 'PUT',
    path,
    headers: { Authorization: `Bearer ${ada.token}`, 'If-Match': `"${version}"` },
    body: { experience: latest },
  });
  expect(byAda.status, byAda.text).toBe(200);
  await replaceText(bea.page, JSON.stringify({ ...latest, title: 'The harbor at dusk' }, null, 1));
  finishRead();
  const conflict = bea.page.getByRole('dialog', { name: 'Ada saved this experience while you edited it' });
  await conflict.getByRole('radio', { name: 'The harbor at dusk' }).check();
  await button(bea.page, 'Merge and save').click();
  await expect.poll(async () => (await stored()).experience.title).toBe('The harbor at dusk');
  await bea.page.unrouteAll({ behavior: 'wait' });
});

test('announces a file that is applied during editing, and merges it', async () => {
  await write(bea.page, (document) => {
    document.description = 'What Bea wrote';
  });
  const { experience: latest } = await stored();
  const written = JSON.stringify({ ...latest, description: 'What Bea wrote' }, null, 1);
  latest.runtime.mind.persona = 'You come from a file.';
  await applyFile('shop.yaml@2', { ...file, experiences: [latest] });
  await bea.page.getByText('A project file was applied (shop.yaml@2)').waitFor();
  await inspect(bea.page, 'newer');
  // Text with errors is not merged: once it could be read, it would replace the changes of the file.
  await replaceText(bea.page, `${written}}`);
  await bea.page.getByText('Unsaved changes, the YAML text has errors').waitFor();
  await button(bea.page, 'Merge into my draft').click();
  await bea.page.getByText('The text in the YAML tab has errors. Correct them there').waitFor();
  await replaceText(bea.page, written);
  await bea.page.getByText('Unsaved changes, checked').waitFor();
  await button(bea.page, 'Merge into my draft').click();
  await button(bea.page, 'Save draft').click();
  await bea.page.getByText('Saved. These settings are live.').waitFor();
  expect((await stored()).experience).toMatchObject({
    description: 'What Bea wrote',
    runtime: { mind: { persona: 'You come from a file.' } },
  });
  expect(violations(bea)).toEqual([]);
});

test('unsaved work survives a reload and the expiry of the sign-in', async () => {
  const { page } = ada;
  await write(page, (document) => {
    document.runtime.mind.greeting.en = ['Not saved yet.'];
  });
  await page.reload();
  await page.getByText('You have unsaved changes from').waitFor();
  await inspect(page, 'unsaved');
  await button(page, 'Continue').click();
  await text(page).getByText('Not saved yet.').waitFor();
  await page.getByText('Unsaved changes, checked').waitFor();

  const json = await askAdmin(service, 'GET /admin/logins');
  for (const { loginId, operatorId } of json.logins)
    if (operatorId === ada.operatorId)
      await service.admin({ method: 'DELETE', path: `/admin/logins/${loginId}` });
  await page.keyboard.press('Control+s');
  const over = page.getByRole('dialog', { name: 'Sign in' });
  await over.getByRole('textbox', { name: 'Token' }).fill(ada.token);
  await over.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Saved as draft', { exact: false }).waitFor();
  expect((await stored()).experience.runtime.mind.greeting.en).toEqual(['Not saved yet.']);

  await page.reload();
  await text(page).waitFor();
  await page.getByText('No unsaved changes').waitFor();
  await expect.poll(() => page.getByText('You have unsaved changes from').count()).toBe(0);
});

test('shows problems at their lines, and keeps text that cannot be read as it was typed', async () => {
  const { page } = ada;
  const before = await stored();
  const { experience } = before;
  experience.slug = 'Not a slug';
  await replaceText(page, JSON.stringify(experience, null, 1));
  await button(page, 'Line 3').waitFor();
  await button(page, 'Review and publish').click();
  await page.locator('.editor-problems:focus').waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await openTab(page, 'Revisions');
  await page.keyboard.press('Control+s');
  await page.getByRole('heading', { name: '1 problem to fix before saving' }).waitFor();
  await inspect(page, 'problems');
  await expect
    .poll(() => page.getByRole('link', { name: 'Slug', exact: true }).getAttribute('href'))
    .toMatch(/\/setup$/);

  await openTab(page, 'YAML');
  await replaceText(page, 'title: A\nslug: "open');
  await page.getByText('Unsaved changes, the YAML text has errors').waitFor();
  await button(page, 'Line 2').click();
  await openTab(page, 'Revisions');
  await page.getByRole('heading', { name: 'Compare two revisions' }).waitFor();
  await openTab(page, 'YAML');
  await expect.poll(() => text(page).innerText()).toBe('title: A\nslug: "open');
  await inspect(page, 'unreadable');

  await button(page, 'Discard').click();
  await inspect(page, 'discard');
  await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByText('No unsaved changes').waitFor();
  await text(page).getByText(before.experience.title).waitFor();
  await button(page, 'Undo').click();
  await expect.poll(() => text(page).innerText()).toBe('title: A\nslug: "open');

  // Changes on another tab are merged into the text when it can be read again.
  await openTab(page, 'Setup');
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('The old harbor');
  await openTab(page, 'YAML');
  await replaceText(page, JSON.stringify({ ...experience, description: 'From the text' }, null, 1));
  await text(page).getByText('The old harbor').waitFor();
  await text(page).getByText('From the text').waitFor();
  await button(page, 'Discard').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
});

test('checks the document when the connection is back', async () => {
  const { page, context } = ada;
  const { experience } = await stored();
  await context.setOffline(true);
  await replaceText(page, JSON.stringify({ ...experience, title: 'Written offline' }, null, 1));
  await page.getByText('Unsaved changes, not checked').waitFor();
  await context.setOffline(false);
  await page.getByText('Unsaved changes, checked').waitFor();
  await button(page, 'Discard').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByText('No unsaved changes').waitFor();
});

test('publishes with a note after a review in words, and rolls back', async () => {
  const { page } = ada;
  await button(page, 'Review and publish').click();
  await page.getByText('After publishing, visitors can start it', { exact: false }).waitFor();
  await inspect(page, 'review-first');
  await button(page, 'Publish').click();
  await page.getByText(/^Published r/).waitFor();
  const first = (await stored()).publishedRevision;

  await write(page, (document) => {
    document.runtime.mind.greeting.en = ['Ahoy!'];
  });
  await button(page, 'Review and publish').click();
  const review = page.getByRole('dialog', { name: 'Review and publish' });
  await review.getByText('1 change for visitors').waitFor();
  const change = review.getByRole('listitem');
  expect((await change.innerText()).split(/\n+/)).toEqual([
    'Greeting (English)',
    'Before',
    'Not saved yet.',
    'After',
    'Ahoy!',
  ]);
  await inspect(page, 'review');
  await review.getByRole('textbox', { name: 'Note' }).fill('A shorter greeting');
  await button(page, 'Publish').click();
  await page.getByText(`Published r${first + 1}`).waitFor();
  expect((await stored()).live.runtime.mind.greeting.en).toEqual(['Ahoy!']);

  await openTab(page, 'Revisions');
  await page.getByText('A shorter greeting', { exact: true }).waitFor();
  await inspect(page, 'revisions');
  const earlier = page.getByRole('list', { name: 'Revisions' }).getByRole('listitem').nth(1);
  await earlier.getByRole('button', { name: 'Publish this one', exact: true }).click();
  await page.getByRole('dialog').getByText('Ahoy!').waitFor();
  await inspect(page, 'roll-back');
  await button(page, 'Publish').click();
  await page.getByText(`Published r${first}, draft r${first + 1}`).waitFor();
  expect((await stored()).live.runtime.mind.greeting.en).toEqual(['Not saved yet.']);
  expect(violations(ada)).toEqual([]);
});
