import { join } from 'node:path';
import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { microphoneHearing } from '@session-launch/testing/launch-chromium.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { createWorld, runtime } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { writeSpokenWav } from '../harness/fake-microphone.ts';
import { meter } from '../harness/speaking.ts';
import { player, twoLines } from '../harness/talking-page.ts';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';

// Someone speaks to the player: the microphone of the browser is a file, and nothing outside of this machine is reached.

const question = 'When do the ferries leave?';
const answer =
  'They leave at every full hour, from the long wooden pier behind the old fish market hall. The crossing takes twenty minutes in good weather, and half an hour when the wind comes from the west. If you miss the last one, ask for the ferryman, who lives in the yellow house.';

const mind = (greeting: string) => ({
  greeting: { en: greeting },
  topics: [{ id: 'ferries', ask: { en: question }, tell: { en: answer } }],
});

const folder = await temporaryFolder();
const spoken = join(folder.path, 'microphone.wav');
let talking: TalkingProcess;
let site: Site;

beforeAll(async () => {
  talking = await startTalking(inject('dataFolder'), { HEARING: 'local', LOG_LEVEL: 'info' });
  const { url } = talking.service;
  site = await startSite();
  const world = await createWorld(talking.service, {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind: mind(question) }) },
  });
  const { sessionToken } = await launched(talking.service, world);
  // Chromium repeats the file: the question interrupts its own answer.
  await writeSpokenWav(spoken, `${url.replace('http', 'ws')}/runtime`, sessionToken, 9);
});
const worldFor = (speechInputMode: 'auto' | 'manual') =>
  createWorld(talking.service, {
    project: { allowedOrigins: [site.origin] },
    experience: {
      runtime: runtime({ speechInputMode, transport: { type: 'websocket' }, mind: mind('Welcome.') }),
    },
  });
const browser = useBrowser(
  ...microphoneHearing(spoken),
  // No name is resolved, so no request leaves this machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
);
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  context = await browser.open({ permissions: ['microphone'] });
  await context.addInitScript(meter);
  page = await context.newPage();
});
afterAll(async () => {
  await context?.close();
  await talking?.stop();
  await site?.close();
  await folder.remove();
});

async function start(speechInputMode: 'auto' | 'manual'): Promise<void> {
  const { url } = talking.service;
  const { experienceId } = await worldFor(speechInputMode);
  site.show(...twoLines(experienceId, url, url.replace('http', 'ws'), ''));
  await page.goto(site.origin);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

/** Records in the page when the visitor's voice begins while the character speaks, and when the character is silent after that. */
const watchInterruption = `{
  const { experience } = document.querySelector('session-experience');
  // Levels below this are silence.
  const quiet = 0.02;
  let voiceAt;
  let lastVoiceAt = 0;
  let soundAt = 0;
  globalThis.stopped = new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      const isVoice = experience.mic.level() > quiet;
      const isSound = loudness() > quiet;
      if (isVoice && now - lastVoiceAt > 1000) voiceAt = now - soundAt < 300 ? now : undefined;
      if (isVoice) lastVoiceAt = now;
      if (isSound) soundAt = now;
      if (voiceAt !== undefined && now - soundAt > 500 && now - voiceAt > 600) {
        clearInterval(timer);
        resolve(soundAt - voiceAt);
      }
    }, 10);
  });
}`;

test('a spoken question is answered aloud without a network, and speech interrupts the character', async () => {
  await start('auto');
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.getByText(question, { exact: true }).first().waitFor();
  await log.getByText('They leave at every full hour', { exact: false }).first().waitFor();
  await expect.poll(() => page.evaluate('loudness()'), { interval: 20 }).toBeGreaterThan(0.01);
  await player(page).getByText('Your speech is understood on this service and sent nowhere else.').waitFor();
  expect(
    await page.evaluate(`document.querySelector('session-experience').experience.engines.hearing`),
  ).toEqual({
    kind: 'server',
    name: 'moonshine-tiny',
  });

  await page.evaluate(watchInterruption);
  const ms = (await page.evaluate('stopped')) as number;
  console.log(`the character was silent ${Math.round(ms)} ms after the voice began`);
  expectWithin(ms, 300);
  await expect.poll(() => log.locator('.cut').count()).toBeGreaterThan(0);
  expect(talking.service.stderr()).not.toMatch(/ferries/);
});

test('in manual mode, a turn lasts while the button of the microphone is held', async () => {
  await start('manual');
  const button = page.locator('.mic');
  const level = () => page.evaluate(`document.querySelector('session-experience').experience.mic.level()`);
  const turns = () =>
    page.evaluate(
      `document.querySelector('session-experience').experience.messages.filter(({ role }) => role === 'user').length`,
    );
  await page.getByRole('button', { name: 'Hold or press to talk', disabled: false }).hover();
  for (const turn of [1, 2]) {
    expect(await turns()).toBe(turn - 1);
    await page.mouse.down();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
    await expect.poll(level, { interval: 20 }).toBeGreaterThan(0.02);
    // The question lasts longer than 0.7 s. The second press may begin at its end, and the recording repeats within 13 s.
    await page.waitForTimeout(turn === 1 ? 700 : 13_000);
    expect(await turns()).toBe(turn - 1);
    await page.mouse.up();
    expect(await button.getAttribute('aria-pressed')).toBe('false');
    await expect.poll(turns).toBe(turn);
  }
  await page
    .getByRole('log', { name: 'Conversation' })
    .getByText(/ferries/)
    .first()
    .waitFor();
});
