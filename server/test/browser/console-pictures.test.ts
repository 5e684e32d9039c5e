import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { useBrowser } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { createKey } from '@session-launch/testing/world.ts';
import sharp from 'sharp';
import { expect, inject, test } from 'vitest';
import { type ConsoleTab, openConsole } from '../harness/console.ts';
import { isIn } from '../harness/talking-page.ts';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';

const browser = useBrowser(...silentMicrophone);
const root = new URL('../../../', import.meta.url);
const docs = new URL('docs/', root);
const folder = new URL('pictures/', docs);
const projectId = 'prj_demo';
const maxBytes = 60_000;

/** What to show on each picture of a page of the documentation. The steps are made one after the other. */
type Pictures = Record<string, (tab: ConsoleTab, publicUrl: string) => Promise<void>>;

const ofConsole: Pictures = {
  overview: async (tab) => {
    await tab.show(`/${projectId}/overview`);
    await tab.page.getByRole('button', { name: 'Allow https://shop.example' }).waitFor();
  },
  embeds: async (tab) => {
    await tab.show(`/${projectId}/embeds`);
    await tab.field('Origin of your page').fill('https://shop.example');
    await tab.button('Check').click();
    await tab.page.getByText('Pages on this origin may not start sessions yet.').waitFor();
    await tab.page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
  },
  sessions: (tab) => tab.show(`/${projectId}/sessions`),
};

const ofCreators: Pictures = {
  'new-experience': async (tab) => {
    await tab.show(`/${projectId}/experiences`);
    await tab.button('New experience').click();
    await tab.field('Title').fill('Garden guide');
  },
  setup: async (tab) => {
    await tab.button('Create experience').click();
    await shown(tab, 'Setup');
  },
  face: async (tab) => {
    // The same face each time.
    await tab.page.evaluate('crypto.getRandomValues = (numbers) => numbers.fill(14)');
    await tab.button('Make a face').click();
    await tab.page.getByRole('tab', { name: 'Hair' }).click();
  },
  appearance: async (tab) => {
    await tab.button('Use this face').click();
    await tab.page.getByText('Made from parts.').waitFor();
    await tab.button('Restart with my changes').click();
    await tab.page.frameLocator('iframe').locator('.line.character .said').first().waitFor();
    await tab.page.evaluate(`document.querySelector('.appearance').scrollIntoView({ block: 'center' })`);
    await withoutToasts(tab);
  },
  mind: async (tab) => {
    await tab.page.getByRole('link', { name: 'Mind', exact: true }).click();
    await shown(tab, 'Mind');
  },
  gallery: async (tab) => {
    await tab.page.getByRole('link', { name: 'Gallery', exact: true }).click();
    await tab.page.getByRole('heading', { name: 'Ready for galleries' }).waitFor();
    await shown(tab, 'Gallery');
  },
  review: async (tab) => {
    await tab.button('Review and publish').click();
    await tab.button('Publish').click();
    await tab.page.getByText('r2 is published.').waitFor();
    await tab.page.getByRole('link', { name: 'Mind', exact: true }).click();
    const greeting = tab.page.getByRole('textbox', { name: /^Greeting in English/ }).first();
    await greeting.fill('Welcome to the garden! I am Robin. Ask me when the roses bloom.');
    await tab.button('Review and publish').click();
    await tab.field('Note').fill('A shorter greeting');
    await withoutToasts(tab);
  },
  experiences: async (tab) => {
    await tab.button('Cancel').click();
    await tab.button('Save draft').click();
    await tab.page.getByText('Published r2, draft r3').waitFor();
    await tab.show(`/${projectId}/experiences`);
    await tab.page.getByText('Garden guide').scrollIntoViewIfNeeded();
    await withoutToasts(tab);
  },
};

const ofReadme: Pictures = {
  editor: async (tab) => {
    await tab.show(`/${projectId}/experiences`);
    await tab.show(`/${projectId}/experiences/exp_harbor_guide/mind`);
    await shown(tab, 'Mind');
    const preview = tab.page.frameLocator('iframe');
    await preview.getByRole('button', { name: 'Start' }).click();
    await preview.locator('.line.character .said').first().waitFor();
  },
  landing: async ({ page }, publicUrl) => {
    await page.goto(publicUrl);
    // The address of a service that was started without settings.
    await page.evaluate(
      `document.querySelector('#two-lines i').textContent = '"http://127.0.0.1:8080/sdk/v2/session-launch.js"'`,
    );
    await page.getByRole('button', { name: 'Talk with Maren' }).click();
    await isIn(page, 'speaking');
    await page.locator('.line.character .said').first().waitFor();
  },
};

const documents = {
  console: { file: 'docs/console.md', pictures: ofConsole, schemes: ['light', 'dark'] },
  creators: { file: 'docs/creators.md', pictures: ofCreators, schemes: ['light'] },
  readme: { file: 'README.md', pictures: ofReadme, schemes: ['light', 'dark'] },
} as const;

/** UPDATE=1 makes all pictures, UPDATE=readme only those of one page. */
const update = process.env.UPDATE;

const nameOf = (page: string, picture: string, scheme: string) => `${page}-${picture}-${scheme}.webp`;
const namesOf = (page: keyof typeof documents) => {
  const { pictures, schemes } = documents[page];
  return Object.keys(pictures).flatMap((picture) => schemes.map((scheme) => nameOf(page, picture, scheme)));
};

/** Waits for a tab of the editor and for the preview beside it. */
async function shown(tab: ConsoleTab, name: string): Promise<void> {
  await tab.page.locator('.editor-tabs [aria-current=page]', { hasText: name }).waitFor();
  await tab.page.frameLocator('iframe').getByRole('button', { name: 'Start' }).waitFor();
  await withoutToasts(tab);
}

async function withoutToasts({ page }: ConsoleTab): Promise<void> {
  await expect.poll(() => page.locator('.toasts > *').count()).toBe(0);
}

/** Some launches and refusals, so that there is something to see. */
async function use({ service }: TalkingProcess): Promise<void> {
  const { key } = await createKey(service, projectId, { name: 'Shop backend' });
  const ids = ['exp_harbor_guide', 'exp_sky_tonight'];
  for (let n = 0; n < 12; n++)
    await service.call({
      method: 'POST',
      path: '/v1/sessions',
      headers: { Authorization: `Bearer ${key}` },
      body: { experienceId: ids[n % 2], userId: `user-${n % 5}` },
    });
  for (let n = 0; n < 4; n++)
    await service.call({
      method: 'POST',
      path: '/v1/browser-sessions',
      headers: { Origin: 'https://shop.example' },
      body: { experienceId: ids[0] },
    });
}

async function makePictures(): Promise<void> {
  const talking = await startTalking(inject('dataFolder'));
  try {
    await use(talking);
    const context = await browser.open({ viewport: { width: 1200, height: 750 } });
    const tab = await openConsole(context, talking.service);
    const wanted = Object.entries(documents).filter(([page]) => update === '1' || update === page);
    for (const [page, { pictures, schemes }] of wanted)
      for (const [picture, show] of Object.entries(pictures))
        for (const colorScheme of schemes) {
          await tab.page.emulateMedia({ colorScheme });
          await show(tab, talking.service.url);
          const file = await sharp(await tab.page.screenshot())
            .webp({ quality: 65, effort: 6 })
            .toBuffer();
          await writeFile(new URL(nameOf(page, picture, colorScheme), folder), file);
        }
    await context.close();
  } finally {
    await talking.stop();
  }
}

test.each(['console', 'creators', 'readme'] as const)(
  'the page of the %s pictures shows them (UPDATE=1 makes them)',
  async (name) => {
    if (update && name === 'console') await makePictures();
    const page = await readFile(new URL(documents[name].file, root), 'utf8');
    const names = namesOf(name);
    expect((await readdir(folder)).filter((file) => file.startsWith(`${name}-`)).sort()).toEqual(
      [...names].sort(),
    );
    for (const file of names) {
      expect(page).toContain(`pictures/${file}`);
      expect((await stat(new URL(file, folder))).size).toBeLessThanOrEqual(maxBytes);
      const { width, format } = await sharp(await readFile(new URL(file, folder))).metadata();
      expect({ width, format }).toEqual({ width: 1200, format: 'webp' });
    }
  },
);
