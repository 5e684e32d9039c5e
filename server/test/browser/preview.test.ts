import { startSite, useBrowser, watch } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { apply, experience, project, runtime, sessionsOf } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessibilityProblems } from '../harness/accessibility.ts';
import { isIn, onSlowScreen, press } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

const talking = useTalkingService(() => []);
const browser = useBrowser(...silentMicrophone);
let context: BrowserContext;
let page: Page;

const file = {
  project: project({ browserEmbeds: false, allowedOrigins: [] }),
  experiences: [
    experience({
      title: 'The unfinished harbor',
      status: 'draft',
      runtime: runtime({
        characters: [{ characterId: 'maren', name: 'Maren', avatar: { avatarId: 'maren' } }],
        location: { locationId: 'old-harbor', assets: ['/locations/old-harbor/wide.svg'] },
        transport: { type: 'websocket' },
        mind: { greeting: { en: 'Nobody has heard this greeting yet.' } },
      }),
    }),
    experience({
      title: 'Two languages',
      status: 'draft',
      runtime: runtime({ languages: { dual: true }, transport: { type: 'websocket' } }),
    }),
  ],
};
const [draft, dual] = file.experiences as [{ id: string }, { id: string }];

async function previewOf(
  experienceId: string,
  wish: object = {},
): Promise<{ url: string; previewId: string }> {
  const path = `/admin/experiences/${experienceId}/previews`;
  const { json, status } = await talking.service.admin({ method: 'POST', path, body: wish });
  expect(status).toBe(201);
  return json;
}

beforeAll(async () => {
  expect((await apply(talking.service, file)).status).toBe(200);
  context = await onSlowScreen(await browser.open({ locale: 'en-US', permissions: ['microphone'] }));
});
beforeEach(async () => {
  page = await context.newPage();
});
afterAll(() => context?.close());

const screens = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const schemes = ['light', 'dark'] as const;

/** With SCREENSHOTS=folder, keeps pictures of the page for people. */
async function shoot(name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  for (const size of screens) {
    for (const colorScheme of schemes) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${size.width}-${colorScheme}.png` });
    }
  }
}

test('a link opens a draft, says which one it is, and talks at a press of Start', async () => {
  const { url } = await previewOf(draft.id, { maxSessions: 1, locale: 'en' });
  const complaints = await watch(page, talking.service.url);
  await page.goto(url);
  await page.getByRole('heading', { name: 'Try this version' }).waitFor();
  expect(await accessibilityProblems(page, 'body')).toEqual([]);
  await shoot('welcome');
  await press(page, 'Start');
  await isIn(page, 'speaking');
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.getByText('Nobody has heard this greeting yet.', { exact: false }).first().waitFor();
  await page.getByText('Revision 1 · The unfinished harbor').waitFor();
  await isIn(page, 'listening');
  expect(await accessibilityProblems(page, 'body')).toEqual([]);
  await shoot('talking');
  const [session] = await sessionsOf(talking.service, file.project.id);
  expect(session).toMatchObject({ source: 'preview', livemode: false, status: 'active', revision: 1 });
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Try this version' }).waitFor();
  expect(complaints).toEqual([]);

  await press(page, 'Start');
  await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
  await page.getByRole('alert').getByText('It has expired, was withdrawn', { exact: false }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Start' }).count()).toBe(0);
  expect(await accessibilityProblems(page, 'body')).toEqual([]);
  await shoot('used-up');
});

test('a link without a code says so', async () => {
  await page.goto(`${talking.service.url}/preview/`);
  await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Start' }).count()).toBe(0);
});

test('asks for the paired language where the draft needs one', async () => {
  const { url } = await previewOf(dual.id);
  await page.goto(url);
  await press(page, 'Start');
  const field = page.getByLabel('Language to learn');
  await field.waitFor();
  expect(await accessibilityProblems(page, 'body')).toEqual([]);
  await shoot('language');
  await field.fill('en_US');
  await field.press('Enter');
  await page.getByRole('alert').getByText('This is not a language.', { exact: false }).waitFor();
  await field.fill('es');
  await field.press('Enter');
  await isIn(page, 'speaking');
  const sessions = await sessionsOf(talking.service, file.project.id);
  expect(sessions[0]).toMatchObject({ experienceId: dual.id, secondaryLocale: 'es' });
});

describe('in a frame', () => {
  const framed = (url: string) => `<iframe title="Preview" allow="microphone" src="${url}"></iframe>`;

  test('of another site, the page is blocked', async () => {
    const { url } = await previewOf(draft.id);
    const site = await startSite();
    try {
      site.show(framed(url));
      const blocked = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()));
      await page.goto(site.origin);
      await blocked;
      await expect
        .poll(() => page.frameLocator('iframe').getByRole('button', { name: 'Start' }).count())
        .toBe(0);
    } finally {
      await site.close();
    }
  });

  test('of the admin listener, it talks, without a heading of its own', async () => {
    const { url } = await previewOf(draft.id, { locale: 'en' });
    // Any document of that origin. A response from page.route would be blocked: Chromium does not count it as local.
    await page.goto(`${talking.service.adminUrl}/nothing`);
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(framed(url))}`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Start' }).click();
    await isIn(frame, 'speaking');
    await expect.poll(() => frame.getByRole('banner').count()).toBe(0);
  });
});
