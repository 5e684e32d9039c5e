import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import type { BuildOptions } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleReact, reactExample, reactPlayer } from '../harness/react-bundle.ts';
import { becomes, isIn, onSlowScreen } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
const talking = useTalkingService(() => [site.origin]);
const browser = useBrowser(...silentMicrophone);
let context: BrowserContext;
/** The page in which every application is opened. */
let page: Page;
beforeAll(async () => {
  context = await onSlowScreen(await browser.open({ permissions: ['microphone'] }));
  page = await context.newPage();
});
afterAll(async () => {
  await context?.close();
  await site?.close();
});

async function open(react: string, entry: BuildOptions = reactExample): Promise<void> {
  site.show('<div id="root"></div>');
  await page.goto(site.origin);
  await page.addScriptTag({ content: await bundleReact(react, entry, talking) });
}

const ended = async () => (await talking.sessions()).filter(({ status }) => status === 'ended').length;
const count = async () => (await talking.sessions()).length;

describe.each([
  ['React 18', 'sdk/react-18/node_modules'],
  ['React 19', 'node_modules'],
])('%s in strict mode', (_name, react) => {
  test('one press creates one session, and removing the player ends it', async () => {
    const [before, over] = [await count(), await ended()];
    await open(react);
    await page.getByRole('button', { name: 'Walk with me' }).click();
    await isIn(page, 'speaking');
    await expect.poll(() => page.locator('.session-launch-player').count()).toBe(1);
    await isIn(page, 'listening');
    await page.getByText('Lines so far: 1').waitFor();
    expect(await count()).toBe(before + 1);
    await page.getByRole('button', { name: 'Take it away' }).click();
    await expect.poll(ended).toBe(over + 1);
    await page.getByRole('button', { name: 'Bring it back' }).click();
    await page.getByRole('button', { name: 'Walk with me' }).waitFor();
    expect(await count()).toBe(before + 1);
  });

  test('removing a prop restores its default', async () => {
    await open(react, reactPlayer);
    await page.evaluate(`show({ startButton: { label: 'Go' } })`);
    await page.getByRole('button', { name: 'Go' }).waitFor();
    await page.evaluate(`show({})`);
    await page.getByRole('button', { name: 'Start' }).waitFor();
  });

  test('check asks once, and disables the button while no session could start', async () => {
    await open(react, reactPlayer);
    let asked = 0;
    await page.route('**/availability?door=browser', (route) => {
      asked++;
      return route.fulfill({
        headers: { 'Access-Control-Allow-Origin': '*' },
        json: { available: false, code: 'CONCURRENCY_LIMIT', message: 'Full.', retryAfter: 5 },
      });
    });
    const start = page.getByRole('button', { name: 'Start' });
    await page.evaluate('show({ check: true })');
    await start.waitFor();
    expect([await start.isDisabled(), asked]).toEqual([true, 1]);
    await page.unrouteAll();
    await page.evaluate('show({})');
    await expect.poll(() => start.isEnabled()).toBe(true);
    await page.evaluate('hide()');
  });

  test('autoStart creates one session, and onEnded is not called by mounting or removing the player', async () => {
    await open(react, reactPlayer);
    const [before, over] = [await count(), await ended()];
    await page.evaluate(`{
      window.calls = [];
      show({
        autoStart: true,
        onEnded: ({ reason }) => calls.push(reason),
        onStateUpdate: ({ state }) => state !== calls.at(-1) && calls.push(state),
      });
    }`);
    await becomes(page, 'live');
    await page.evaluate('hide()');
    await expect.poll(ended).toBe(over + 1);
    expect(await page.evaluate('calls')).toEqual(['idle', 'minting', 'connecting', 'live']);
    expect(await count()).toBe(before + 1);
  });

  test('autoStart starts a given launch', async () => {
    await open(react, reactPlayer);
    const { experienceId, service } = talking;
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
      body: JSON.stringify({ experienceId, locale: 'en' }),
    };
    await page.evaluate(`fetch('${service.url}/v1/browser-sessions', ${JSON.stringify(init)})
      .then((response) => response.json())
      .then((launch) => show({ experienceId: undefined, launch, autoStart: true }))`);
    await becomes(page, 'live');
    await page.evaluate('hide()');
  });

  test('another signal replaces the experience', async () => {
    await open(react, reactPlayer);
    const start = page.getByRole('button', { name: 'Start' });
    await page.evaluate('window.first = new AbortController(); show({ signal: first.signal })');
    await start.waitFor();
    await page.evaluate('first.abort(); show({ signal: new AbortController().signal })');
    await start.click();
    await becomes(page, 'live');
    await page.evaluate('hide()');
  });

  test('the hook returns state, mode and messages', async () => {
    await open(react);
    const before = await count();
    await page.getByText('idle', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Only listen' }).click();
    await page.getByText('What shall I tell you about?').waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('ended', { exact: true }).waitFor();
    expect(await count()).toBe(before + 1);
    await expect.poll(ended).toBe(before + 1);
  });
});
