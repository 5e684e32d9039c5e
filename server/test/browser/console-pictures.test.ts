import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { useBrowser } from '@session-launch/testing/browser.ts';
import { createKey } from '@session-launch/testing/world.ts';
import sharp from 'sharp';
import { expect, inject, test } from 'vitest';
import { type ConsoleTab, openConsole } from '../harness/console.ts';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';

const browser = useBrowser();
const docs = new URL('../../../docs/', import.meta.url);
const folder = new URL('pictures/', docs);
const projectId = 'prj_demo';
const maxBytes = 60_000;

/** What to show on each picture. */
const pictures: Record<string, (tab: ConsoleTab) => Promise<void>> = {
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
const schemes = ['light', 'dark'] as const;
const names = Object.keys(pictures).flatMap((name) =>
  schemes.map((scheme) => `console-${name}-${scheme}.webp`),
);

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
    for (const [name, show] of Object.entries(pictures))
      for (const colorScheme of schemes) {
        await tab.page.emulateMedia({ colorScheme });
        await show(tab);
        const picture = await sharp(await tab.page.screenshot())
          .webp({ quality: 65, effort: 6 })
          .toBuffer();
        await writeFile(new URL(`console-${name}-${colorScheme}.webp`, folder), picture);
      }
    await context.close();
  } finally {
    await talking.stop();
  }
}

test('docs/console.md shows pictures of the console in light and dark (UPDATE=1 makes them)', async () => {
  if (process.env.UPDATE === '1') await makePictures();
  const page = await readFile(new URL('console.md', docs), 'utf8');
  expect((await readdir(folder)).filter((name) => name.startsWith('console-')).sort()).toEqual(
    [...names].sort(),
  );
  for (const name of names) {
    expect(page).toContain(`pictures/${name}`);
    expect((await stat(new URL(name, folder))).size).toBeLessThanOrEqual(maxBytes);
    const { width, format } = await sharp(await readFile(new URL(name, folder))).metadata();
    expect({ width, format }).toEqual({ width: 1200, format: 'webp' });
  }
});
