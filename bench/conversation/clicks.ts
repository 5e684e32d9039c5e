import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Viseme } from '@session-launch/contract/runtime/protocol';
import { findChromium } from '@session-launch/testing/chromium.ts';
import { chromium, type Page } from 'playwright-core';
import type { Environment } from '../environment.ts';
import { percentile } from '../statistics.ts';
import { type Figure, figure } from './figure.ts';
import { bestShiftMs, loudnessOf, stepMs } from './mouth.ts';
import { experienceId, provisionTalk } from './world.ts';

/** Milliseconds of the greeting that are analysed. */
const watchedMs = 1500;

/** Runs in the page: records the time of the click on Start, and from then on the loudness and the visemes at every animation frame. */
const recorder = `
  const record = window.record = { pictures: [] };
  addEventListener('click', () => { record.pressed ??= performance.now(); }, { capture: true });
  const mouths = (root) => [...root.querySelectorAll('*')].flatMap((one) =>
    [...(one.hasAttribute('data-viseme') ? [one] : []), ...(one.shadowRoot ? mouths(one.shadowRoot) : [])]);
  const look = () => {
    const now = performance.now();
    const level = document.querySelector('session-experience')?.experience?.output.level() ?? 0;
    if (record.pressed) record.pictures.push([now, level, mouths(document)[0]?.dataset.viseme ?? 'sil']);
    if (level > 0.01) record.heard ??= now;
    record.isOver = now > record.heard + ${watchedMs};
    if (!record.isOver) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

/** Measures the time from the click on Start to the first sound, and lip sync, in Chromium on a page of another origin. */
export async function measureClicks(
  environment: Environment,
  rounds: number,
  clicks: number,
): Promise<Figure[]> {
  const click = figure('Start click → first audio in Chromium, p95', 1000);
  const mouth = figure('mouth against the sound in Chromium, p95', 40);
  const find = await findChromium();
  if (find === undefined) return [click, mouth];
  const { program, env, dispose } = await find();
  const browser = await chromium.launch({
    executablePath: program,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
  });
  const site = await startSite();
  try {
    const service = await environment.embedded();
    await provisionTalk(service, [site.origin]);
    site.show(
      `<script src="${service.url}/sdk/v2/session-launch.js"></script><session-experience experience-id="${experienceId}" locale="en"></session-experience>`,
    );
    const context = await browser.newContext({ permissions: ['microphone'] });
    await context.addInitScript(recorder);
    for (let round = 1; round <= rounds; round++) {
      environment.progress(`round ${round}/${rounds}: ${clicks} clicks`);
      const times: Pressed[] = [];
      for (let n = 0; n < clicks; n++) times.push(await press(await context.newPage(), site.origin));
      click.rounds.push(
        percentile(
          times.map(({ heardMs }) => heardMs),
          0.95,
        ),
      );
      mouth.rounds.push(
        percentile(
          times.map(({ mouthMs }) => Math.abs(mouthMs)),
          0.95,
        ),
      );
    }
    await service.stop();
  } finally {
    await browser.close();
    await site.close();
    await dispose();
  }
  return [click, mouth];
}

interface Pressed {
  heardMs: number;
  /** Below zero: the mouth is early. */
  mouthMs: number;
}

type Picture = [ms: number, level: number, viseme: Viseme];

async function press(page: Page, address: string): Promise<Pressed> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForFunction('record.isOver');
  const { pressed, heard, pictures } = (await page.evaluate('record')) as {
    pressed: number;
    heard: number;
    pictures: Picture[];
  };
  await page.close();
  return { heardMs: heard - pressed, mouthMs: mouthShiftMs(pictures, heard - 200, heard + watchedMs) };
}

/** Samples loudness and viseme at even steps and returns the shift between them. */
function mouthShiftMs(pictures: readonly Picture[], from: number, to: number): number {
  const steps = Array.from({ length: (to - from) / stepMs }, (_, i) => from + i * stepMs);
  const shown = steps.map((ms) => pictures.findLast(([at]) => at <= ms));
  return bestShiftMs(
    shown.map((picture) => picture?.[1] ?? 0),
    shown.map((picture) => loudnessOf[picture?.[2] ?? 'sil']),
  );
}

/** Serves a customer page with the two lines of the embed code. */
async function startSite() {
  let body = '';
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(
      `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">${body}`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (html: string) => {
      body = html;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
