import { useBrowser } from '@session-launch/testing/browser.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { hostile, randomOf, wellFormed } from '../harness/hostile-messages.ts';
import { handMade, type SdkPage, startSdkPage } from '../harness/sdk-page.ts';
import { becomes, onSlowScreen } from '../harness/talking-page.ts';

/** Set HOSTILE_SEED to run with other messages. */
const seed = Number(process.env.HOSTILE_SEED ?? 20_260_724);
const count = 10_000;

const browser = useBrowser();
let home: SdkPage;
let runtime: WebSocketServer;
let context: BrowserContext;
let page: Page;
const complaints: string[] = [];
/** Messages that the page has sent. */
const received: { type: string; [field: string]: unknown }[] = [];
let connection: WebSocket;
/** Messages that the runtime sends before `ready`. */
let preludes: (string | Uint8Array)[] = [];

beforeAll(async () => {
  home = await startSdkPage();
  runtime = new WebSocketServer({ server: home.server, path: '/runtime' });
  runtime.on('connection', (socket) => {
    connection = socket;
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      const message = JSON.parse(String(data));
      received.push(message);
      if (message.type !== 'hello') return;
      for (const prelude of preludes) socket.send(prelude);
      socket.send(JSON.stringify({ ...wellFormed.ready, resumed: message.resume !== undefined }));
    });
  });
  context = await onSlowScreen(await browser.open());
  page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(`page error: ${error.stack}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
});
afterAll(async () => {
  await context?.close();
  runtime?.close();
  await home?.close();
});

const send = (...events: object[]) => {
  for (const event of events) connection.send(JSON.stringify(event));
};
/** Waits until the page has handled everything sent before. */
async function isHandled(id: string): Promise<void> {
  send({ ...wellFormed.message, id, text: id, spans: undefined });
  await page.getByText(id, { exact: true }).waitFor();
}
const frameOf = (utterance: number, isLast: boolean) => {
  const frame = new DataView(new ArrayBuffer(8 + 1280));
  frame.setUint8(0, 1);
  frame.setUint8(1, isLast ? 1 : 0);
  frame.setUint16(2, utterance, true);
  return new Uint8Array(frame.buffer);
};

test(`${count} malformed messages and frames raise no error in the page, and the conversation continues (seed ${seed})`, async () => {
  const random = randomOf(seed);
  preludes = Array.from({ length: 300 }, () => hostile(random));
  await page.goto(home.origin);
  const transport = { type: 'websocket', url: `${home.origin.replace('http', 'ws')}/runtime` };
  await page.evaluate(`(() => {
    const launch = ${JSON.stringify(handMade(home.origin, ['maren'], transport))};
    window.experience = SessionLaunch.createExperience({ launch });
    window.malformed = 0;
    experience.on('runtimeEvent', (event) => { if (event.type === 'malformed') malformed = event.count; });
    experience.attach('#stage');
  })()`);
  await page.getByRole('button', { name: 'Start' }).click();
  await becomes(page, 'live');
  await page.locator('[data-viseme]').waitFor({ state: 'attached' });
  preludes = [];
  for (let sent = 0; sent < count; sent++) {
    connection.send(hostile(random));
    if (sent % 500 === 0) {
      // Starts an utterance for the next hostile cues and frames.
      send(wellFormed.utterance, wellFormed.cues);
      await isHandled(`after ${sent}`);
    }
    // Drops the connection: the page resumes with the state that it kept from these messages.
    if (sent === count / 2) {
      const before = connection;
      before.close(1011);
      await expect.poll(() => connection !== before && connection.readyState).toBe(1);
      await becomes(page, 'live');
    }
  }
  await isHandled('all of them');
  expect(await page.evaluate('malformed')).toBeGreaterThan(count / 4);
  const hellos = received.filter(({ type }) => type === 'hello');
  expect(hellos[1]?.resume).toEqual({ ticket: expect.any(String), lastSeq: expect.any(Number) });
  // A normal turn still works: speech, user text and reply.
  send({ type: 'interrupted', utterance: 1, atMs: 0 }, { ...wellFormed.mode, mode: 'speaking' });
  send({ ...wellFormed.utterance, utterance: 7 }, { ...wellFormed.cues, utterance: 7 });
  connection.send(frameOf(7, false));
  connection.send(frameOf(7, true));
  await expect
    .poll(
      () =>
        received.filter(({ type, utterance, done }) => type === 'played' && utterance === 7 && done).length,
    )
    .toBe(1);
  send({ ...wellFormed.mode, mode: 'listening' });
  await page.getByRole('textbox').fill('Are you still there?');
  await page.keyboard.press('Enter');
  await expect.poll(() => received.at(-1)).toMatchObject({ type: 'text', text: 'Are you still there?' });
  expect(await page.evaluate('experience.state')).toBe('live');
  expect(complaints).toEqual([]);
});
