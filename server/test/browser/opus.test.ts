import { join } from 'node:path';
import { startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { microphoneHearing } from '@session-launch/testing/launch-chromium.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { writeSpokenWav } from '../harness/fake-microphone.ts';
import { ask, becomes, isIn, twoLines } from '../harness/talking-page.ts';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';
import { createTalking, type Talking } from '../harness/talking-service.ts';
import { startTranscriptionServer, type TranscriptionServer } from '../harness/transcription-server.ts';

const question = 'When do the ferries leave?';

// The microphone of a browser is a file that must exist when it starts.
const folder = await temporaryFolder();
const spoken = join(folder.path, 'microphone.wav');
let hearing: TranscriptionServer;
let process: TalkingProcess;
let talking: Talking;
let site: Awaited<ReturnType<typeof startSite>>;

beforeAll(async () => {
  [hearing, site] = await Promise.all([startTranscriptionServer(question), startSite()]);
  process = await startTalking(inject('dataFolder'), {
    HEARING: 'openai',
    HEARING_URL: hearing.url,
    HEARING_MODEL: 'any',
  });
  talking = await createTalking(process.service, [site.origin]);
  const { sessionToken } = await launched(process.service, await createWorld(process.service));
  await writeSpokenWav(spoken, `${process.service.url.replace('http', 'ws')}/runtime`, sessionToken);
});
const browser = useBrowser(...microphoneHearing(spoken));
afterAll(async () => {
  await process?.stop();
  await hearing?.close();
  await site?.close();
  await folder.remove();
});

interface Frames {
  received: Buffer[];
  sent: Buffer[];
}

/** Records the samples that the page plays, per utterance. */
const recorder = `{
  globalThis.played = {};
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (message, ...rest) {
    if (message?.samples) (played[message.id] ??= []).push(...message.samples);
    if (message?.last) played['end of ' + message.id] = true;
    return postMessage.call(this, message, ...rest);
  };
}`;
/** A browser without WebCodecs. */
const noCodecs = 'delete globalThis.AudioDecoder; delete globalThis.AudioEncoder;';

/** Opens the page of the embedding guide and starts a conversation. */
async function start(script: string, attributes = 'speech-input-mode="off"') {
  const context = await browser.open({ permissions: ['microphone'] });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.addInitScript(recorder + script);
  const { url } = process.service;
  site.show(...twoLines(talking.experienceId, url, url.replace('http', 'ws'), attributes));
  const frames: Frames = { received: [], sent: [] };
  page.on('websocket', (socket) => {
    const keep = (of: Buffer[]) => (frame: { payload: string | Buffer }) =>
      typeof frame.payload !== 'string' && of.push(frame.payload);
    socket.on('framereceived', keep(frames.received));
    socket.on('framesent', keep(frames.sent));
  });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(site.origin);
  await page.getByRole('button', { name: 'Start' }).click();
  await becomes(page, 'live');
  return { page, frames, complaints };
}

const isOpus = (frame: Buffer) => (frame[1]! & 2) !== 0;
const utteranceOf = (frame: Buffer) => frame.readUInt16LE(2);

/** The samples of the first utterances, once they were passed to the speakers. */
async function playedBy(page: Page, utterances: number[]): Promise<Float32Array[]> {
  for (const id of utterances)
    await expect.poll(() => page.evaluate(`played['end of ${id}'] === true`)).toBe(true);
  const all = (await page.evaluate(`[${utterances}].map((id) => played[id])`)) as number[][];
  return all.map((samples) => Float32Array.from(samples));
}

/** The shift at which two sounds are most similar, in samples. */
function shiftOf(first: Float32Array, second: Float32Array): number {
  let best = { shift: 0, product: 0 };
  for (let shift = -480; shift <= 480; shift += 2) {
    let product = 0;
    for (let i = 480; i < first.length - 480; i += 3) product += first[i]! * (second[i + shift] ?? 0);
    if (product > best.product) best = { shift, product };
  }
  return best.shift;
}

test('speech arrives as Opus, and each sample is played at the position it has as PCM', async () => {
  const [opus, pcm] = [await start(''), await start(noCodecs)];
  await Promise.all([isIn(opus.page, 'listening'), isIn(pcm.page, 'listening')]);
  expect(new Set(opus.frames.received.map(isOpus))).toEqual(new Set([true]));
  expect(new Set(pcm.frames.received.map(isOpus))).toEqual(new Set([false]));
  const utterances = [...new Set(pcm.frames.received.map(utteranceOf))];
  expect(new Set(opus.frames.received.map(utteranceOf))).toEqual(new Set(utterances));
  const [compressed, exact] = [await playedBy(opus.page, utterances), await playedBy(pcm.page, utterances)];
  const sampleRate = Number(await opus.page.evaluate('new AudioContext().sampleRate'));
  for (const [index, sound] of exact.entries()) {
    expect(Math.abs(compressed[index]!.length - sound.length)).toBeLessThan(sampleRate / 1000);
    // Half a millisecond.
    expect(Math.abs(shiftOf(sound, compressed[index]!))).toBeLessThanOrEqual(sampleRate / 2000);
  }
  const bytes = ({ frames }: { frames: Frames }) =>
    frames.received.reduce((sum, { length }) => sum + length, 0);
  expect(bytes(opus)).toBeLessThan(bytes(pcm) / 8);
  // The answer is played as well, and an interruption silences it.
  await opus.page.getByRole('button', { name: question }).click();
  await isIn(opus.page, 'speaking');
  await expect.poll(() => ask(opus.page, (one) => one.output.level())).toBeGreaterThan(0.05);
  await ask(opus.page, (one) => one.interrupt());
  await isIn(opus.page, 'listening');
  await expect.poll(() => ask(opus.page, (one) => one.output.level())).toBeLessThan(0.001);
  expect(opus.complaints).toEqual([]);
});

test('the microphone is sent as Opus, and understood', async () => {
  const { page, frames } = await start('', '');
  await page.getByRole('log', { name: 'Conversation' }).getByText(question).first().waitFor();
  expect(Math.max(...hearing.heard)).toBeGreaterThan(1);
  expect(new Set(frames.sent.map(isOpus))).toEqual(new Set([true]));
  const bits = frames.sent.reduce((sum, { length }) => sum + (length + 6) * 8, 0);
  expect(bits / (frames.sent.length * 0.04)).toBeLessThan(40_000);
});
