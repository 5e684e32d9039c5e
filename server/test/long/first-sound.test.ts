import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { promptedMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstSound } from '../harness/first-sound.ts';
import { twoLines } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

const clicks = 30;
let site: Site;
beforeAll(async () => {
  site = await startSite();
});
const talking = useTalkingService(() => [site.origin]);
const browser = useBrowser(...promptedMicrophone);
afterAll(() => site?.close());

/** The smallest value that at least `share` of the values do not exceed. */
function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * share) - 1]!);
}

// The times depend on the machine, so they are only printed. The test checks that every click leads to sound and mouth movement.
test('a click on Start plays audio, and the mouth moves with the voice', async () => {
  const { url } = talking.service;
  site.show(...twoLines(talking.experienceId, url, url.replace('http', 'ws'), ''));
  const context = await browser.open({
    permissions: ['microphone'],
    viewport: { width: 800, height: 600 },
  });
  const page = await context.newPage();
  await page.goto(site.origin);
  // The first run fills the browser's cache with the script and the assets.
  await firstSound(page);
  const found = [];
  for (let i = 0; i < clicks; i++) found.push(await firstSound(page));
  const print = (name: string, figures: number[]) =>
    process.stderr.write(
      `${name}: p50 ${percentile(figures, 0.5)} ms, p95 ${percentile(figures, 0.95)} ms, ${clicks} clicks\n`,
    );
  const sounds = found.map(({ soundMs }) => soundMs);
  const mouths = found.map(({ mouthMs }) => mouthMs);
  print('click → first sound', sounds);
  print('click → mouth moves', mouths);
  expect(sounds.every((ms) => ms > 0)).toBe(true);
  // The mouth moves while the sentence is spoken, not after it.
  const apart = found.map(({ soundMs, mouthMs }) => Math.abs(mouthMs - soundMs));
  expect(percentile(apart, 0.5)).toBeLessThan(percentile(sounds, 0.5));
  await context.close();
});
