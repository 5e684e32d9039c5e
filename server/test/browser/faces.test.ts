import { useBrowser } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { createKey, mintFromServer } from '@session-launch/testing/world.ts';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { type ConsoleTab, inspect, openConsole, photograph } from '../harness/console.ts';
import { keyboardOf } from '../harness/keyboard.ts';
import { meter, speaks } from '../harness/speaking.ts';
import { onSlowScreen } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

const talking = useTalkingService(() => []);
const browser = useBrowser(...silentMicrophone);
let projectId: string;

let context: BrowserContext;
let tab: ConsoleTab;
let page: Page;

const open = async (options: object): Promise<BrowserContext> => {
  const made = await onSlowScreen(
    await browser.open({ locale: 'en-US', permissions: ['microphone'], ...options }),
  );
  await made.addInitScript(meter);
  return made;
};

beforeAll(async () => {
  ({ projectId } = talking);
  context = await open({ viewport: { width: 1280, height: 800 } });
  tab = await openConsole(context, talking.service);
  page = tab.page;
});
afterAll(() => context?.close());

const faces = async () =>
  (await askAdmin(talking.service, 'GET /admin/projects/{projectId}/faces', { params: { projectId } })).faces;
const experienceIn = (address: string) => /experiences\/(exp_\w+)/.exec(address)![1]!;
const stage = (on: Page) => on.getByRole('img', { name: /as visitors will see it$/ });
const preview = (on: Page): Frame =>
  on.frames().find((frame) => frame.url() === `${talking.service.url}/preview/`)!;
const inDialog = (on: Page, role: 'button' | 'tab' | 'radio', name: string) =>
  on.getByRole('dialog').getByRole(role, { name, exact: true });

/** Names of the elements of the drawing in the first shadow root below an element, with their attributes that do not move. */
const drawn = (on: Page | Frame, host: string) =>
  on.evaluate<string[]>(`(() => {
    const below = (root) => [...root.querySelectorAll('*')].flatMap((one) =>
      one.shadowRoot === null ? [] : [one.shadowRoot, ...below(one.shadowRoot)]);
    const root = below(document.querySelector(${JSON.stringify(host)}) ?? document)
      .find((one) => one.firstElementChild?.localName === 'svg');
    return [...(root?.querySelectorAll('svg > g *') ?? [])].map(({ localName, attributes }) =>
      localName + [...attributes].map(({ name }) => name).filter((name) => !/^(transform|opacity|d|c[xy]|r[xy])$/.test(name)).sort());
  })()`);

/** Checks that the experience shows the face, and that the service keeps the recipe to itself. */
async function expectFaceOf(experienceId: string): Promise<void> {
  const { experience } = (await talking.service.admin({ path: `/admin/experiences/${experienceId}` })).json;
  const [character] = experience.runtime.characters;
  const { avatarId, recipe } = character.avatar;
  expect(avatarId).toMatch(/^fac_/);
  expect(recipe).toMatchObject({ maker: 1 });
  expect(experience).toMatchObject({
    avatarId,
    thumbnailPath: `/avatars/${avatarId}/thumb.svg`,
    galleryThumb: { avatarImage: `/avatars/${avatarId}/full.svg` },
  });
  const face = (await faces()).find(({ faceId }) => faceId === avatarId);
  expect(face).toMatchObject({ rig: 1, usedBy: [experienceId] });
  const { key } = await createKey(talking.service, projectId, { mode: 'test' });
  const { json } = await mintFromServer(talking.service, key, { experienceId });
  expect(json.launch.characters[0].avatar).toEqual({ avatarId });
}

test('by mouse: from "New experience" to a face that speaks, in less than three minutes', async () => {
  const began = performance.now();
  await tab.show(`/${projectId}/experiences`);
  await tab.button('New experience').click();
  await tab.field('Title').fill('The pilot boat');
  await tab.button('Create experience').click();
  await page.getByRole('heading', { name: 'The pilot boat', level: 1 }).waitFor();
  await tab.button('Make a face').click();
  await inDialog(page, 'tab', 'Hair').click();
  await inDialog(page, 'radio', 'Braid').check();
  await inDialog(page, 'radio', 'Ginger').check();
  await inDialog(page, 'tab', 'Hat').click();
  await inDialog(page, 'radio', 'Beanie').check();
  await inDialog(page, 'tab', 'Clothes').click();
  await inDialog(page, 'radio', 'Hoodie').check();
  await inDialog(page, 'button', 'Let it speak').click();
  await speaks(page);
  await inDialog(page, 'button', 'Stop speaking').click();
  await inspect(page, 'faces-maker');
  const drawing = await drawn(page, '.maker-stage');
  // The other parts are random.
  expect(drawing.length).toBeGreaterThan(40);
  await inDialog(page, 'button', 'Use this face').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('Made from parts.').waitFor();
  await inspect(page, 'faces-setup');
  await tab.button('Restart with my changes').click();
  await expect.poll(() => preview(page)?.url()).toBeDefined();
  await speaks(preview(page));
  const ms = performance.now() - began;
  console.info(`a new speaking face by mouse: ${Math.round(ms / 1000)} s`);
  expectWithin(ms, 180_000);
  // The player keeps the whole drawing.
  expect(await drawn(preview(page), 'body')).toEqual(drawing);
  await expectFaceOf(experienceIn(page.url()));
  await photograph(page, 'faces-talking');
  expect(tab.complaints.filter((text) => !text.includes(talking.service.url))).toEqual([]);
});

test('a face is changed from its recipe, with undo and redo, and leaving asks first', async () => {
  await tab.button('Change the face').click();
  await inDialog(page, 'tab', 'Hair').click();
  expect(await inDialog(page, 'radio', 'Braid').isChecked()).toBe(true);
  const before = await drawn(page, '.maker-stage');
  await inDialog(page, 'radio', 'Headscarf').check();
  expect(await drawn(page, '.maker-stage')).not.toEqual(before);
  await inDialog(page, 'tab', 'Hat').click();
  await page.getByText('leaves no room for a hat').waitFor();
  expect(await inDialog(page, 'radio', 'Beanie').isDisabled()).toBe(true);
  await page.keyboard.press('Control+z');
  await expect.poll(() => drawn(page, '.maker-stage')).toEqual(before);
  await inDialog(page, 'button', 'Redo').click();
  await page.getByText('leaves no room for a hat').waitFor();
  await inDialog(page, 'button', 'Undo').click();
  await inDialog(page, 'button', 'Surprise me').click();
  await page.keyboard.press('Escape');
  await tab.dialog('Leave without this face?').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog', { name: /^Make a face/ }).waitFor();
  await page.keyboard.press('Escape');
  await tab.dialog('Leave without this face?').getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await faces()).toHaveLength(1);
});

test('a face is chosen, removed with undo, and deleted once nothing uses it', async () => {
  await tab.button('Choose an existing one').click();
  await inspect(page, 'faces-chooser');
  await page.getByRole('dialog').getByText('used by 1 experience').waitFor();
  expect(
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .count(),
  ).toBe(0);
  await inDialog(page, 'button', 'Close').click();
  await tab.button('No face').click();
  await page.getByText('No face. The player shows').waitFor();
  await tab.button('Undo').last().click();
  await page.getByText('Made from parts.').waitFor();
  await tab.button('Make a face').waitFor({ state: 'detached' });
  await tab.button('No face').click();
  await tab.button('Save draft').click();
  await page
    .getByText(/draft r\d/)
    .first()
    .waitFor();
  // The gallery still shows it.
  expect((await faces())[0]!.usedBy).toHaveLength(1);
  await tab.button('Choose an existing one').click();
  await page.getByRole('dialog').getByRole('button', { name: /^Use / }).first().click();
  // With its recipe, so that it can be changed as before.
  await page.getByText('Made from parts.').waitFor();
  await tab.button('Change the face').click();
  await inDialog(page, 'tab', 'Hair').click();
  expect(await inDialog(page, 'radio', 'Braid').isChecked()).toBe(true);
  await inDialog(page, 'button', 'Cancel').click();
});

const { reach, press } = keyboardOf(() => page);

test('by keyboard alone', async () => {
  const began = performance.now();
  await tab.show(`/${projectId}/experiences`);
  await press(tab.button('New experience'));
  await reach(tab.field('Title'));
  await page.keyboard.insertText('The pier');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The pier', level: 1 }).waitFor();
  await press(tab.button('Make a face'));
  const first = inDialog(page, 'tab', 'Head');
  await reach(first);
  await page.keyboard.press('ArrowRight');
  expect(await inDialog(page, 'tab', 'Hair').getAttribute('aria-selected')).toBe('true');
  // One stop for all swatches, one for the own colour, and one for all styles.
  const styles = page
    .getByRole('dialog')
    .getByRole('group', { name: 'Hair', exact: true })
    .getByRole('radio');
  await reach(styles.and(page.locator(':checked')));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await reach(inDialog(page, 'tab', 'Hair'), 'Shift+Tab');
  await page.keyboard.press('End');
  await reach(page.getByRole('dialog').getByRole('radio').and(page.locator(':checked')));
  await page.keyboard.press('ArrowRight');
  const speaking = inDialog(page, 'button', 'Let it speak');
  await reach(speaking, 'Shift+Tab');
  await page.keyboard.press('Space');
  await speaks(page);
  await page.keyboard.press('Space');
  await press(inDialog(page, 'button', 'Use this face'));
  await page.getByText('Made from parts.').waitFor();
  // The focus is where it was before the dialog.
  await expect.poll(() => tab.button('Change the face').and(page.locator(':focus')).count()).toBe(1);
  await press(tab.button('Restart with my changes'));
  await expect.poll(() => preview(page)?.url()).toBeDefined();
  await speaks(preview(page));
  console.info(`a new speaking face by keyboard: ${Math.round((performance.now() - began) / 1000)} s`);
  await expectFaceOf(experienceIn(page.url()));
});

test('by touch on a phone', async () => {
  const began = performance.now();
  const phone = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const mobile = await openConsole(phone, talking.service);
  const { page: screen } = mobile;
  await mobile.show(`/${projectId}/experiences`);
  await mobile.button('New experience').tap();
  await mobile.field('Title').fill('The quay');
  await mobile.button('Create experience').tap();
  await screen.getByRole('heading', { name: 'The quay', level: 1 }).waitFor();
  await mobile.button('Make a face').tap();
  await inDialog(screen, 'button', 'Surprise me').tap();
  await inDialog(screen, 'tab', 'Glasses').tap();
  await inDialog(screen, 'radio', 'Sunglasses').tap();
  await inDialog(screen, 'tab', 'Background').tap();
  await inDialog(screen, 'radio', 'Night').tap();
  await expect.poll(() => inDialog(screen, 'radio', 'Night').isChecked()).toBe(true);
  // The face stays in view above the choices.
  const { y, height } = (await stage(screen).boundingBox())!;
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y + height).toBeLessThan(844);
  await inDialog(screen, 'button', 'Let it speak').tap();
  await speaks(screen);
  expect(await screen.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await inDialog(screen, 'button', 'Use this face').tap();
  await screen.getByText('Made from parts.').waitFor();
  await mobile.button('Restart with my changes').tap();
  await expect.poll(() => preview(screen)?.url()).toBeDefined();
  await speaks(preview(screen));
  console.info(`a new speaking face by touch: ${Math.round((performance.now() - began) / 1000)} s`);
  await expectFaceOf(experienceIn(screen.url()));
  await phone.close();
});
