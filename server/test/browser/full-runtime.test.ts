import { useBrowser } from '@session-launch/testing/browser.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { accessibilityProblems } from '../harness/accessibility.ts';
import { wellFormed } from '../harness/hostile-messages.ts';
import { handMade, type SdkPage, startSdkPage } from '../harness/sdk-page.ts';
import { becomes, onSlowScreen, press } from '../harness/talking-page.ts';

const browser = useBrowser();
let home: SdkPage;
let runtime: WebSocketServer;
let context: BrowserContext;
let isFull = true;
let refused = 0;
const tokens: unknown[] = [];

beforeAll(async () => {
  home = await startSdkPage();
  runtime = new WebSocketServer({ server: home.server, path: '/runtime' });
  runtime.on('connection', (socket) => {
    if (isFull) {
      refused++;
      return socket.close(1013);
    }
    socket.once('message', (data) => {
      tokens.push(JSON.parse(String(data)).token);
      socket.send(JSON.stringify(wellFormed.ready));
    });
  });
  context = await onSlowScreen(await browser.open());
});
afterAll(async () => {
  await context?.close();
  runtime?.close();
  await home?.close();
});

test('a full runtime is tried four times, then the visitor sees that it is busy and can start again', async () => {
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(home.origin);
  const transport = { type: 'websocket', url: `${home.origin.replace('http', 'ws')}/runtime` };
  const launch = JSON.stringify(handMade(home.origin, ['maren'], transport));
  await page.evaluate(`(() => {
    window.experience = SessionLaunch.createExperience({ launch: ${launch} });
    experience.attach('#stage');
  })()`);
  await press(page, 'Start');
  await expect.poll(() => refused).toBe(1);
  expect(await page.evaluate('experience.state')).toBe('connecting');
  await expect.poll(() => page.clock.runFor(1000).then(() => refused)).toBe(4);
  await becomes(page, 'failed');
  expect(refused).toBe(4);
  const busy = 'Many people are talking right now. Please try again in a moment.';
  await expect.poll(() => page.locator('.apology').innerText()).toBe(busy);
  expect(await page.evaluate('[experience.error.code, experience.error.retryable]')).toEqual([
    'CONNECT_FAILED',
    true,
  ]);
  expect(await accessibilityProblems(page, '.session-launch-player')).toEqual([]);
  // The token was not consumed: the same launch connects when the runtime has capacity.
  isFull = false;
  await press(page, 'Start again');
  await becomes(page, 'live');
  expect(tokens).toEqual(['token']);
  await page.close();
});
