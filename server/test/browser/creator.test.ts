import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { targetAt } from '@session-launch/testing/deployment.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { apply, createKey, experience, project } from '@session-launch/testing/world.ts';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type ConsoleTab, openConsole, photograph } from '../harness/console.ts';
import { keyboardOf } from '../harness/keyboard.ts';
import { createOperator } from '../harness/operators.ts';
import { jpeg } from '../harness/pictures.ts';
import { meter, speaks } from '../harness/speaking.ts';
import { onSlowScreen, twoLines } from '../harness/talking-page.ts';

const browser = useBrowser(...silentMicrophone);
const file = { project: project(), experiences: [experience({ title: 'The harbor', sortOrder: 0 })] };
const { id: projectId } = file.project;
const firstGreeting = /Welcome! I am Robin/;
const newGreeting = 'Ahoy, I am Juno, and this is my lighthouse.';

let service: Target;
let site: Site;
let context: BrowserContext;
let tab: ConsoleTab;
let page: Page;

beforeAll(async () => {
  service = targetAt(inject('talking'));
  site = await startSite();
  const allowedOrigins = [site.origin];
  expect((await apply(service, { ...file, project: { ...file.project, allowedOrigins } })).status).toBe(200);
  const { operatorId } = await createOperator(service, { name: 'Ada', role: 'creator' });
  context = await onSlowScreen(
    await browser.open({
      viewport: { width: 1280, height: 800 },
      locale: 'en-US',
      permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
    }),
  );
  await context.addInitScript(meter);
  tab = await openConsole(context, service, operatorId);
  page = tab.page;
});
afterAll(async () => {
  await context?.close();
  await site?.close();
});

const openTab = async (name: string) => {
  await page.getByRole('link', { name, exact: true }).click();
  await page.locator(`.editor-tabs [aria-current=page]`, { hasText: name }).waitFor();
};
const preview = () => page.frames().find((frame) => frame.url() === `${service.url}/preview/`)!;

/** Starts what is published on a page of an application, and waits for these words of the character. */
async function visit(experienceId: string, words: string | RegExp): Promise<void> {
  const [body] = twoLines(experienceId, service.url, service.url, '');
  site.show(body);
  const visitor = await context.newPage();
  // A small player takes less CPU time.
  await visitor.setViewportSize({ width: 480, height: 360 });
  await visitor.goto(site.origin);
  await visitor.getByRole('button', { name: 'Start' }).click();
  await speaks(visitor);
  await visitor.getByRole('log', { name: 'Conversation' }).getByText(words).first().waitFor();
  await visitor.close();
}

async function catalog(): Promise<string[]> {
  const { key } = await createKey(service, projectId);
  const answer = await service.call({
    path: `/v1/projects/${projectId}/experiences`,
    headers: { Authorization: `Bearer ${key}` },
  });
  return answer.json.experiences.map(({ title }: { title: string }) => title);
}

test('writes a character, talks to the draft, publishes it, moves it up and takes it back', async () => {
  await tab.show(`/${projectId}/experiences`);
  await tab.button('New experience').click();
  await tab.field('Title').fill('The lighthouse');
  await photograph(page, 'creator-1-new');
  await tab.button('Create experience').click();
  await page.getByRole('heading', { name: 'The lighthouse', level: 1 }).waitFor();
  const [, experienceId = ''] = /experiences\/(exp_\w+)/.exec(page.url()) ?? [];

  // The template is published as it is; everything below is a draft beside it.
  await tab.button('Review and publish').click();
  await page.getByText('This is the first publication').waitFor();
  await photograph(page, 'creator-2-first-publication');
  await tab.dialog('Review and publish').getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('r1 is published.').waitFor();
  await visit(experienceId, firstGreeting);

  await openTab('Setup');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Juno');
  await photograph(page, 'creator-3-setup');
  await openTab('Mind');
  const greetings = page.getByRole('textbox', { name: /^Greeting in English/ });
  await greetings.first().fill(newGreeting);
  for (let left = await greetings.count(); left > 1; left--)
    await page.getByRole('button', { name: `Remove variant ${left}: Greeting in English` }).click();
  await page.getByText('When are you open?').first().click();
  await page
    .getByRole('textbox', { name: /^Answer in English/ })
    .first()
    .fill('The lamp is lit at dusk, every day of the year.');
  await photograph(page, 'creator-4-mind');

  await tab.button('Restart with my changes').click();
  await expect.poll(() => preview()?.url()).toBeDefined();
  await speaks(preview());
  await preview().getByText(newGreeting).first().waitFor();
  await photograph(page, 'creator-5-talking');
  // Visitors still hear the published greeting.
  await visit(experienceId, firstGreeting);

  await openTab('Gallery');
  for (const slot of ['Thumbnail', 'Avatar on the card', 'Background of the card']) {
    await tab.button(`Choose: ${slot}`).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: `${slot}.jpg`, mimeType: 'image/jpeg', buffer: jpeg });
    await tab.button('Use this picture').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.getByRole('textbox', { name: 'Avatar', exact: true }).fill('juno');
  for (const [name, value] of Object.entries({ Purpose: 'discover', Domain: 'seafaring', Era: 'present' }))
    await tab.field(name).fill(value);
  await page.getByText('Ready for galleries').waitFor();
  await photograph(page, 'creator-6-gallery');

  await tab.button('Review and publish').click();
  const review = tab.dialog('Review and publish');
  await review.getByText(newGreeting).waitFor();
  await review.getByRole('textbox', { name: 'Note' }).fill('Juno moves in');
  await photograph(page, 'creator-7-review');
  await review.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('r2 is published.').waitFor();
  await visit(experienceId, newGreeting);

  await tab.show(`/${projectId}/experiences`);
  await expect.poll(() => catalog()).toEqual(['The harbor', 'The lighthouse']);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'The lighthouse' })
    .getByRole('button', { name: /^Move up/ })
    .click();
  await expect.poll(catalog).toEqual(['The lighthouse', 'The harbor']);
  await photograph(page, 'creator-8-first');

  await tab.show(`/${projectId}/experiences/${experienceId}/revisions`);
  await page.getByText('Juno moves in', { exact: true }).waitFor();
  await photograph(page, 'creator-9-revisions');
  // The one other revision: the published one has no such button.
  await tab.button('Publish this one').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('r1 is published', { exact: false }).first().waitFor();
  await visit(experienceId, firstGreeting);
  expect(tab.complaints.filter((text) => !text.includes(service.url))).toEqual([]);
});

const { reach, press } = keyboardOf(() => page);

async function write(target: Locator, text: string): Promise<void> {
  await reach(target);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

const link = (name: string) => page.getByRole('link', { name, exact: true });

test('the same by keyboard alone', async () => {
  await tab.show(`/${projectId}/experiences`);
  await press(tab.button('New experience'));
  await write(tab.field('Title'), 'The pier');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The pier', level: 1 }).waitFor();

  await write(tab.field('Name'), 'Ines');
  await press(link('Mind'), 'Shift+Tab');
  await write(page.getByRole('textbox', { name: /^Greeting in English/ }).first(), 'Welcome to the pier!');
  await press(page.getByRole('button', { name: /^When are you open/, expanded: false }));
  await write(page.getByRole('textbox', { name: /^Answer in English/ }).first(), 'Until sunset.');
  await press(tab.button('Restart with my changes'));
  await expect.poll(() => preview()?.url()).toBeDefined();
  await speaks(preview());

  await press(link('Gallery'), 'Shift+Tab');
  await press(tab.button('Choose: Thumbnail'));
  const chooser = page.waitForEvent('filechooser');
  await press(page.locator('input[type=file]'));
  await (await chooser).setFiles({ name: 'pier.jpg', mimeType: 'image/jpeg', buffer: jpeg });
  await press(tab.button('Use this picture'));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await write(tab.field('Purpose'), 'discover');

  await press(tab.button('Review and publish'), 'Shift+Tab');
  await write(tab.field('Note'), 'Written without a mouse');
  await press(tab.button('Publish'));
  await page.getByText('r2 is published.').waitFor();

  const before = await catalog();
  await press(link('Experiences'), 'Shift+Tab');
  const row = page.getByRole('listitem').filter({ hasText: 'The pier' });
  await press(row.getByRole('button', { name: 'Move up', exact: true }));
  await expect.poll(catalog).toEqual([...before.slice(0, -2), before.at(-1), before.at(-2)]);

  await press(link('The pier'));
  await press(link('Revisions'));
  await press(tab.button('Publish this one'));
  await press(tab.dialog('Publish r1?').getByRole('button', { name: 'Publish', exact: true }));
  await page.getByText('r1 is published.').waitFor();
});
