import { fileURLToPath } from 'node:url';
import { type Site, startSite, useBrowser, watch } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { build } from 'esbuild';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTalkingService } from '../harness/talking-service.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
const talking = useTalkingService(() => [site.origin]);
const browser = useBrowser(...silentMicrophone);
let context: BrowserContext;
beforeAll(async () => {
  context = await browser.open({ permissions: ['microphone'] });
});
afterAll(async () => {
  await context?.close();
  await site?.close();
});

/** An application with its own user interface. */
const application = (options: object) => `
  import { createExperience } from './core.js';
  import { pageSpeech } from './page-speech.js';
  const experience = createExperience({ ...${JSON.stringify(options)}, pageSpeech });
  const lines = new Map();
  const [status, log, talk, ask, stop] = ['state', 'log', 'talk', 'ask', 'stop'].map((id) => document.getElementById(id));
  experience.on('stateChange', (state) => { status.textContent = state; });
  experience.on('message', ({ id, text }) => {
    lines.set(id, text);
    log.textContent = [...lines.values()].join(' / ');
  });
  talk.onclick = () => experience.start();
  ask.onclick = () => experience.sendText('When do the ferries leave?');
  stop.onclick = () => experience.end();
  window.experience = experience;`;

test('an application with a custom interface talks through the entry /core', async () => {
  const { experienceId, service } = talking;
  const { outputFiles } = await build({
    stdin: {
      contents: application({ experienceId, baseUrl: service.url, locale: 'en' }),
      resolveDir: fileURLToPath(new URL('../../../sdk/browser/dist', import.meta.url)),
    },
    bundle: true,
    format: 'iife',
    write: false,
  });
  const controls = ['talk', 'ask', 'stop'].map((id) => `<button id="${id}">${id}</button>`).join('');
  site.show(`${controls}<p id="state">idle</p><p id="log"></p>`);
  const page = await context.newPage();
  const complaints = await watch(page, service.url);
  await page.goto(site.origin);
  await page.addScriptTag({ content: outputFiles[0]!.text });
  await page.locator('#talk').click();
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByText('Welcome to the harbor').waitFor();
  await expect.poll(() => page.evaluate('experience.output.level()')).toBeGreaterThan(0.05);
  await page.locator('#ask').click();
  await page.getByText('They leave at every full hour').waitFor();
  await page.locator('#stop').click();
  await page.getByText('ended', { exact: true }).waitFor();
  await expect.poll(async () => (await talking.sessions())[0].status).toBe('ended');
  expect(complaints.filter((one) => !one.startsWith('outside request'))).toEqual([]);
  await page.close();
});
