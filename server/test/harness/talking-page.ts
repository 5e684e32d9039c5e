import { pageMs } from '@session-launch/testing/browser.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A page with the two lines of the embedding guide and the strictest CSP that they need. `wire` is the origin of the runtime. */
export function twoLines(
  experienceId: string,
  url: string,
  wire: string,
  attributes: string,
): [body: string, policy: string] {
  return [
    `<script src="${url}/sdk/v2/session-launch.js"></script>
<session-experience experience-id="${experienceId}" locale="en" ${attributes}></session-experience>`,
    `default-src 'none'; script-src ${url}; connect-src ${url} ${wire}; img-src ${url} data:; require-trusted-types-for 'script'; trusted-types 'none'`,
  ];
}

/** Limits animations to ten frames per second, since rendering a face takes CPU time and few tests check its movement. */
const slowScreen = `{
  const { requestAnimationFrame } = window;
  const waiting = new Map();
  let last = 0;
  window.requestAnimationFrame = (draw) => {
    const id = ++last;
    const drawn = (at) => waiting.delete(id) && draw(at);
    waiting.set(id, setTimeout(() => requestAnimationFrame(drawn), 90));
    return id;
  };
  window.cancelAnimationFrame = (id) => {
    clearTimeout(waiting.get(id));
    waiting.delete(id);
  };
}`;

export async function onSlowScreen(context: BrowserContext): Promise<BrowserContext> {
  await context.addInitScript(slowScreen);
  return context;
}

/**
 * Script that replaces the browser's speech recognition by one that never ends. Chromium without a speech service would release the
 * microphone and hide its button after some seconds.
 */
export const endlessRecognition = `
  window.SpeechRecognition = window.webkitSpeechRecognition = class extends EventTarget {
    start() {}
    stop() {}
    abort() {}
  };`;

export const player = (page: Pick<Page, 'locator'>) => page.locator('.player');

export const becomes = (page: Page, state: string) =>
  player(page)
    .and(page.locator(`[data-state=${state}]`))
    .waitFor();

/** Looks often, because a short greeting can be over between two looks of `waitFor`. */
export const isIn = (page: Pick<Page, 'locator'>, mode: string) =>
  expect.poll(() => player(page).getAttribute('data-mode'), { interval: 20, timeout: pageMs }).toBe(mode);

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

// biome-ignore lint/suspicious/noExplicitAny: the page's own types are not known here
export const ask = (page: Page, of: (experience: any) => unknown): Promise<any> =>
  page.evaluate(`(${of})(document.querySelector('session-experience').experience)`);
