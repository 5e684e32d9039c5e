import { execFileSync } from 'node:child_process';
import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { promptedMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { startTcpProxy, type TcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../harness/accessibility.ts';
import { ask, becomes, isIn, onSlowScreen, press, twoLines } from '../harness/talking-page.ts';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';
import { createTalking, type Talking } from '../harness/talking-service.ts';

const undo: (() => Promise<void>)[] = [];
let site: Site;
/** A proxy for scripts, mints and conversations. */
let wire: TcpProxy;
let isOut = false;
let refused = 0;
let context: BrowserContext;

beforeAll(async () => {
  site = await startSite();
  const greets = () => {
    if (!isOut) return 'pass' as const;
    refused++;
    return 'close' as const;
  };
  wire = await startTcpProxy((work) => undo.push(work), 1, { greets });
});
const address = () => `http://127.0.0.1:${wire.port}`;
/** This file kills the service, so it does not use the shared one. */
let own: TalkingProcess;
let talking: Talking;
beforeAll(async () => {
  own = await startTalking(inject('dataFolder'), {
    RUNTIME_URL: `${address().replace('http', 'ws')}/runtime`,
    // Long enough for a loaded machine.
    RESUME_SECONDS: '300',
  });
  talking = await createTalking(own.service, [site.origin]);
  leadThere();
});
const leadThere = () => wire.leadTo(Number(new URL(own.service.url).port));

/** Process id of the service's runtime. */
function runtimePid(): number {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args=']).toString();
  return Number(new RegExp(`^\\s*(\\d+)\\s+${own.service.pid} .*--child`, 'm').exec(all)?.[1]);
}

const browser = useBrowser(...promptedMicrophone);
/** A browser with a microphone that cannot be opened. */
const deaf = useBrowser(...promptedMicrophone, '--fail-audio-stream-creation');

afterEach(async () => {
  isOut = false;
  await context?.close();
});
afterAll(async () => {
  await own?.stop();
  await site?.close();
  for (const work of undo) await work();
});

/** Opens a new page. `permissions` grants access to the microphone by default. */
async function open(attributes = '', permissions = ['microphone'], on = browser): Promise<Page> {
  context = await onSlowScreen(await on.open({ permissions }));
  const page = await context.newPage();
  const others = `${address().replace('http', 'ws')} ${own.service.url}`;
  site.show(...twoLines(talking.experienceId, address(), others, attributes));
  return page;
}

async function started(attributes?: string, permissions?: string[], on?: typeof browser): Promise<Page> {
  const page = await open(attributes, permissions, on);
  await page.goto(site.origin);
  await press(page, 'Start');
  await becomes(page, 'live');
  return page;
}

/** Sends a text and waits for the reply. */
async function isTalking(page: Page): Promise<void> {
  const before = await page.getByText('They leave at every full hour').count();
  await page.getByRole('textbox').fill('When do the ferries leave?');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByText('They leave at every full hour').count()).toBeGreaterThan(before);
}

const apology = (page: Page) => page.locator('.apology').innerText();
const note = (page: Page) => page.locator('.note').innerText();
const code = (page: Page) => ask(page, (one) => one.error?.code);

function lose(): void {
  isOut = true;
  refused = 0;
  for (const link of wire.links()) link.cut();
}

describe('a network outage', () => {
  test('of some seconds shows a message, and the same session continues', async () => {
    const page = await started();
    const id = await ask(page, (one) => one.session.sessionId);
    lose();
    await becomes(page, 'reconnecting');
    await page.getByText('The connection broke. Reconnecting…').waitFor();
    // Retries immediately, after a third of a second and after more than a second: the next one is more than three seconds after the cut.
    await expect.poll(() => refused).toBeGreaterThanOrEqual(3);
    isOut = false;
    await becomes(page, 'live');
    expect(await ask(page, (one) => [one.session.sessionId, one.error])).toEqual([id, null]);
    await isTalking(page);
  });

  test('of a minute loses the session, and the next start works', async () => {
    const page = await open();
    await page.clock.install();
    await page.goto(site.origin);
    await press(page, 'Start');
    await isIn(page, 'speaking');
    lose();
    await becomes(page, 'reconnecting');
    expect(await accessibilityProblems(page)).toEqual([]);
    const before = (await talking.sessions()).length;
    await page.clock.fastForward(60_000);
    await becomes(page, 'failed');
    await expect
      .poll(async () => [await apology(page), await code(page)])
      .toEqual(['The connection was lost.', 'CONNECTION_LOST']);
    expect(await ask(page, (one) => [one.mic.status, one.output.level()])).toEqual(['off', 0]);
    expect(await accessibilityProblems(page)).toEqual([]);
    // The SDK does not mint to restore a connection.
    expect((await talking.sessions()).length).toBe(before);
    isOut = false;
    await press(page, 'Start again');
    await becomes(page, 'live');
    expect(await ask(page, (one) => one.error)).toBe(null);
  });
});

describe('a killed process', () => {
  test('of the runtime shows a lost connection, and the next start works', async () => {
    const page = await started();
    process.kill(runtimePid(), 'SIGKILL');
    await becomes(page, 'failed');
    await expect
      .poll(async () => [await apology(page), await code(page)])
      .toEqual(['The connection was lost.', 'CONNECTION_LOST']);
    await press(page, 'Start again');
    await becomes(page, 'live');
    await isTalking(page);
  });

  test('of the service shows a missing connection, and the next start works once it is back', async () => {
    const page = await started();
    await page.locator('[data-viseme]').waitFor({ state: 'attached' });
    await page.evaluate(`(() => {
      window.told = [];
      const { shadowRoot } = document.querySelector('session-experience');
      const status = shadowRoot.querySelector('.session-launch-player').shadowRoot.querySelector('.status');
      new MutationObserver(() => told.push(status.textContent)).observe(status, { childList: true });
    })()`);
    // Its runtime also ends the conversation before it exits. The SDK tries to start a new one, which fails.
    await own.service.kill('SIGKILL');
    // It keeps retrying for a while, so both texts appear and disappear.
    await page
      .locator('.apology', { hasText: 'There is no connection. Please check your network and try again.' })
      .waitFor();
    await expect.poll(() => code(page)).toBe('NETWORK');
    expect(await page.evaluate('told')).toContain('The connection was lost.');
    expect(await page.evaluate('told')).not.toContain('The conversation has ended.');
    // The character is still shown.
    await expect.poll(() => page.locator('[data-viseme]').count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await own.startAgain();
    talking.service = own.service;
    leadThere();
    const again = page.getByRole('button', { name: 'Start again' });
    await expect
      .poll(async () => {
        if (await again.isVisible()) await again.click({ timeout: 1000 }).catch(() => {});
        return ask(page, (one) => one.state);
      })
      .toBe('live');
    await isTalking(page);
  });
});

describe('an unavailable microphone', () => {
  test('that is denied or missing leaves typing usable', async () => {
    const page = await started('', []);
    await expect.poll(() => ask(page, (one) => one.mic.status)).toBe('denied');
    expect(await note(page)).toContain('The microphone is not allowed. You can type instead.');
    await isTalking(page);
    expect(await accessibilityProblems(page)).toEqual([]);
    await press(page, 'End the conversation');
    await context.grantPermissions(['microphone']);
    await ask(page, (one) => one.mic.setDevice('unplugged'));
    await press(page, 'Start again');
    await becomes(page, 'live');
    await expect.poll(() => ask(page, (one) => one.mic.status)).toBe('missing');
    expect(await note(page)).toContain('No microphone was found. You can type instead.');
    await isTalking(page);
  });

  test('that another program uses leaves typing usable', async () => {
    const page = await started('', ['microphone'], deaf);
    await expect.poll(() => ask(page, (one) => one.mic.status)).toBe('busy');
    expect(await note(page)).toContain('Another program is using the microphone. You can type instead.');
    await isTalking(page);
  });
});

describe('audio blocked by the browser', () => {
  /** Playwright's `evaluate` counts as a user gesture, which would permit audio playback. Evaluating over CDP does not. */
  async function looker(page: Page) {
    const line = await context.newCDPSession(page);
    return async (expression: string) => {
      const asked = { expression, awaitPromise: true, returnByValue: true };
      return (await line.send('Runtime.evaluate', asked)).result.value;
    };
  }
  const inPlayer = (of: string) => `(() => {
    const element = document.querySelector('session-experience');
    const { experience } = element;
    const root = element.shadowRoot.querySelector('.session-launch-player')?.shadowRoot;
    const hear = root?.querySelector('.hear:not([hidden])');
    ${of}
  })()`;

  test('waits for a tap, while the text continues', async () => {
    // No permissions: access to the microphone would also permit audio playback.
    const page = await open('autostart', []);
    await page.goto(site.origin);
    const look = await looker(page);
    await expect.poll(() => look(inPlayer('return hear?.textContent'))).toBe('Tap to hear');
    const unblocked = `return experience.output.unblock().then(() => 'heard', ({ code, fatal }) => [code, fatal])`;
    expect(await look(inPlayer(unblocked))).toEqual(['AUDIO_BLOCKED', false]);
    // Audio is blocked, so the log is announced to screen readers.
    const log = `root.querySelector('[role=log]')`;
    expect(await look(inPlayer(`return ${log}.getAttribute('aria-live')`))).toBe('polite');
    await expect.poll(() => look(inPlayer('return experience.mode'))).toBe('listening');
    expect(await look(inPlayer(`return ${log}.textContent`))).toContain('What shall I tell you about?');
    await look(axe.source);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await look(`axe.run('session-experience').then(({ violations }) => violations)`)).toEqual([]);
    }
    expect(await look(inPlayer('return experience.output.blocked'))).toBe(true);
    const at = await look(
      inPlayer(`hear.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { x, y, width, height } = hear.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 }`),
    );
    await page.mouse.click(at.x, at.y);
    await expect
      .poll(() => look(inPlayer('return [experience.output.blocked, !!hear]')))
      .toEqual([false, false]);
    await page.getByRole('textbox').fill('When do the ferries leave?');
    await page.keyboard.press('Enter');
    await expect.poll(() => ask(page, (one) => one.output.level())).toBeGreaterThan(0.05);
  });
});
