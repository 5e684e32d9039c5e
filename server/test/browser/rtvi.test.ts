import { join } from 'node:path';
import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { microphoneHearing } from '@session-launch/testing/launch-chromium.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld, runtime, type World } from '@session-launch/testing/world.ts';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { blockRunBy } from '../harness/doc-blocks.ts';
import { writeSpokenWav } from '../harness/fake-microphone.ts';
import { serveProgram } from '../harness/shown-code.ts';
import { meter } from '../harness/speaking.ts';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../harness/transcription-server.ts';

// Pipecat's client as published, with its own microphone and player, against a service with its runtime.

const question = 'When do the ferries leave?';
const answer = 'They leave at every full hour.';
const story =
  'Once upon a time, there was a harbor with a very long pier. Every morning the boats went out to sea. Every evening they came back. One day a storm came up from the west, and nobody knew whether they would return.';

const mind = {
  greeting: { en: 'Good morning, and welcome to the harbor.' },
  topics: [
    { id: 'ferries', ask: { en: question }, tell: { en: answer } },
    { id: 'story', ask: { en: 'Tell me a story.' }, tell: { en: story } },
  ],
};

// The microphone of a browser is a file that must exist when it starts.
const folder = await temporaryFolder();
const spoken = join(folder.path, 'microphone.wav');
let hearing: TranscriptionServer;
let talking: TalkingProcess;
let world: World;
let site: Site;
let script: string;

beforeAll(async () => {
  hearing = await startTranscriptionServer(question);
  talking = await startTalking(inject('dataFolder'), {
    HEARING: 'openai',
    HEARING_URL: hearing.url,
    HEARING_MODEL: 'any',
    LOG_LEVEL: 'trace',
  });
  world = await createWorld(talking.service, {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
  const { sessionToken } = await launched(talking.service, world);
  await writeSpokenWav(spoken, `${talking.service.url.replace('http', 'ws')}/runtime`, sessionToken);
  const { outputFiles } = await build({
    stdin: {
      resolveDir: import.meta.dirname,
      contents: `export * from '@pipecat-ai/client-js'; export * from '@pipecat-ai/websocket-transport';`,
    },
    ...{ bundle: true, format: 'iife', globalName: 'pipecat', write: false },
  });
  script = outputFiles[0]!.text;
  site = await startSite();
});
const browser = useBrowser(...microphoneHearing(spoken));
let page: Page;
beforeAll(async () => {
  const context = await browser.open({ permissions: ['microphone'] });
  await context.addInitScript(meter);
  page = await context.newPage();
});
afterAll(async () => {
  await page?.context().close();
  await talking?.stop();
  await hearing?.close();
  await site?.close();
  await folder.remove();
});
beforeEach(async () => {
  await page.goto(site.origin);
  await page.addScriptTag({ content: script });
});

/** Mints a session and connects the client of the page to it. */
async function connect(enableMic: boolean): Promise<{ sessionId: string; token: string }> {
  const { sessionId, sessionToken: token } = await launched(talking.service, world);
  const connection = { wsUrl: `${talking.service.url.replace('http', 'ws')}/runtime/rtvi`, token };
  const ready = await page.evaluate(`(async () => {
    const { PipecatClient, RTVIEvent, WebSocketTransport, WavMediaManager } = pipecat;
    const mediaManager = new WavMediaManager(undefined, 16_000);
    globalThis.story = [];
    globalThis.client = new PipecatClient({
      transport: new WebSocketTransport({ mediaManager }),
      enableMic: ${enableMic},
    });
    for (const name of Object.values(RTVIEvent))
      client.on(name, (data) => story.push([name, data?.data ?? data]));
    return client.connect(${JSON.stringify(connection)});
  })()`);
  expect(ready).toMatchObject({ version: '2.1.0', about: { sessionId } });
  return { sessionId, token };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
const events = (name: string, from = 0): Promise<any[]> =>
  page.evaluate(
    `story.slice(${from}).filter(([name]) => name === ${JSON.stringify(name)}).map(([, data]) => data)`,
  );
const count = async () => Number(await page.evaluate('story.length'));
const loudness = () => page.evaluate('loudness()').then(Number);

/** Waits for an event whose data fits. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
async function occurs(name: string, from = 0, fits: (data: any) => boolean = () => true): Promise<void> {
  const seen = () => page.evaluate(`story.slice(${from}).map(([name]) => name).join(' ')`);
  await expect
    .poll(async () => ((await events(name, from)).some(fits) ? name : seen()), { interval: 20 })
    .toBe(name);
}

const record = async (sessionId: string) =>
  (
    await talking.service.call({
      path: `/v1/sessions/${sessionId}`,
      headers: { Authorization: `Bearer ${world.key}` },
    })
  ).json;

test('ready, sound, a typed turn, an interruption, a disconnect and its seconds', async () => {
  const { sessionId, token } = await connect(false);
  await occurs('botStartedSpeaking');
  await expect.poll(loudness, { interval: 20 }).toBeGreaterThan(0.01);
  await occurs('botStoppedSpeaking');
  expect((await events('botLlmText')).map(({ text }) => text).join('')).toBe(mind.greeting.en);

  const typed = await count();
  await page.evaluate(`client.sendText(${JSON.stringify(question)})`);
  await occurs('botStoppedSpeaking', typed);
  expect((await events('botLlmText', typed)).map(({ text }) => text).join('')).toBe(answer);
  expect((await events('botTtsText', typed)).map(({ text }) => text).join(' ')).toBe(answer);
  const cues = (await events('serverMessage', typed)).filter(({ type }) => type === 'cues');
  expect(cues[0].cues.length).toBeGreaterThan(5);
  expect((await events('botOutput', typed)).at(-1)).toMatchObject({
    will_be_spoken: true,
    spoken_status: 'completed',
    spoken_progress: { accumulated_text: answer, remaining_text: '' },
  });

  const told = await count();
  await page.evaluate(`client.sendText('Tell me a story.')`);
  await occurs('botTtsText', told, ({ text }) => text === 'harbor');
  expect(await page.evaluate(`client.sendClientRequest('interrupt', {})`)).toBeUndefined();
  await occurs('botStoppedSpeaking', told);
  // At most 200 ms of sound are left in the page.
  await expect.poll(loudness, { interval: 20 }).toBeLessThan(0.001);
  const said = (await events('botTtsText', told)).map(({ text }) => text).join(' ');
  expect(story.startsWith(said)).toBe(true);
  expect(said.length).toBeLessThan(story.length / 2);

  const { startedAt } = await record(sessionId);
  const seconds = (Date.now() - Date.parse(startedAt)) / 1000;
  await page.evaluate('client.disconnect()');
  await expect.poll(async () => (await record(sessionId)).status).toBe('ended');
  const { endReason, usage } = await record(sessionId);
  expect(endReason).toBe('client_ended');
  expect(usage.seconds).toBeGreaterThanOrEqual(Math.floor(seconds) - 1);
  expect(usage.seconds).toBeLessThanOrEqual(Math.ceil(seconds) + 5);

  // Without an upgrade, the service answers the request itself.
  expect((await talking.service.call({ path: `/runtime/rtvi?token=${token}` })).status).toBe(404);
  const { text: metrics } = await talking.service.admin({ path: '/metrics' });
  const places = talking.service.stderr() + talking.service.stdout() + metrics;
  expect(places).toContain(sessionId);
  expect(places).not.toContain(token);
  expect(places).not.toContain('token=');
});

test('a spoken turn: the microphone is understood and answered, and speech interrupts the character', async () => {
  const { sessionId } = await connect(true);
  await occurs('userStartedSpeaking');
  await occurs('userStoppedSpeaking');
  await occurs('userTranscript', 0, ({ text, final }) => text === question && final);
  await occurs('botLlmText', 0, ({ text }) => text === answer);
  expect(Math.max(...hearing.heard)).toBeGreaterThan(1);

  // The microphone speaks again while the character tells its story.
  await page.evaluate('client.enableMic(false)');
  await occurs('botStoppedSpeaking');
  const told = await count();
  await page.evaluate(`client.sendText('Tell me a story.')`);
  await occurs('botTtsText', told);
  await page.evaluate('client.enableMic(true)');
  await occurs('botLlmText', told, ({ text }) => text === answer);
  const said = (await events('botTtsText', told)).map(({ text }) => text).join(' ');
  expect(said).not.toContain('whether they would return');

  await page.evaluate('client.disconnectBot()');
  await expect.poll(async () => (await record(sessionId)).status).toBe('ended');
  expect(await record(sessionId)).toMatchObject({ endReason: 'client_ended' });
});

test('a token that was used, and one that is not valid, fail with an error that says why', async () => {
  const { token } = await connect(false);
  for (const [wrong, message] of [
    [token, 'This session is already connected.'],
    ['nonsense', 'The session token is invalid or has expired.'],
  ] as const) {
    const connection = { wsUrl: `${talking.service.url.replace('http', 'ws')}/runtime/rtvi`, token: wrong };
    // The client reads messages in the background, so the end of the connection may be reported first.
    await page.evaluate(`(async () => {
      const { PipecatClient, WebSocketTransport, WavMediaManager } = pipecat;
      globalThis.errors = [];
      globalThis.other = new PipecatClient({
        transport: new WebSocketTransport({ mediaManager: new WavMediaManager() }),
        enableMic: false,
        callbacks: { onError: ({ data }) => errors.push(data) },
      });
      other.connect(${JSON.stringify(connection)}).catch(() => {});
    })()`);
    await expect
      .poll(() => page.evaluate('errors'))
      .toContainEqual(expect.objectContaining({ error: message, message, fatal: true }));
    await page.evaluate('other.disconnect()');
  }
  await page.evaluate('client.disconnect()');
});

test('the code of the page about Pipecat clients starts a conversation', async () => {
  const block = (containing: string) => blockRunBy(import.meta.url, 'docs/pipecat.md', containing);
  const program = block('@session-launch/backend')
    .replace('https://launch.example.com', talking.service.url)
    .replace('exp_harbor_guide', world.experienceId);
  const { url } = await serveProgram(program, { LAUNCH_KEY: world.key });
  await page.route(`${site.origin}/start`, async (route) => {
    const response = await fetch(`${url}/start`, { method: 'POST' });
    await route.fulfill({ json: await response.json() });
  });
  const { outputFiles } = await build({
    stdin: { contents: block('PipecatClient'), resolveDir: import.meta.dirname },
    ...{ bundle: true, format: 'esm', write: false },
  });
  const lines: string[] = [];
  page.on('console', (message) => lines.push(message.text()));
  await page.addScriptTag({ content: outputFiles[0]!.text, type: 'module' });
  await expect.poll(() => lines).toContain(`Character: ${answer}`);
  expect(lines).toContainEqual(expect.stringMatching(/^mouth shapes /));
  await page.goto('about:blank');
});
