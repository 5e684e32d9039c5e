import { type Site, startSite, useBrowser, watch } from '@session-launch/testing/browser.ts';
import { beepingMicrophone, silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { startTcpProxy, type TcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { accessibilityProblems } from '../harness/accessibility.ts';
import { type Remains, watchRemains } from '../harness/page-remains.ts';
import {
  ask,
  becomes,
  endlessRecognition,
  isIn,
  onSlowScreen,
  player,
  twoLines,
} from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

const undo: (() => Promise<void>)[] = [];
let site: Site;
let stranger: Site;
let wire: TcpProxy;
/** While set, the proxy accepts connections but forwards nothing. */
let isSilent = false;
let context: BrowserContext;
/** The page that most tests share, one after the other. */
let usual: Page;

beforeAll(async () => {
  [site, stranger] = await Promise.all([startSite(), startSite()]);
  // Conversations pass through a proxy that tests can cut.
  wire = await startTcpProxy((work) => undo.push(work), 1, { greets: () => (isSilent ? 'mute' : 'pass') });
});
const talking = useTalkingService(
  () => [site.origin],
  () => `ws://127.0.0.1:${wire.port}/runtime`,
);
const browser = useBrowser(...silentMicrophone);
const beeping = useBrowser(...beepingMicrophone);

beforeAll(() => wire.leadTo(Number(new URL(talking.service.url).port)));
beforeAll(async () => {
  context = await onSlowScreen(await browser.open({ permissions: ['microphone'] }));
  usual = await context.newPage();
});
afterEach(async () => {
  await usual.unrouteAll();
  const others = context.pages().filter((page) => page !== usual);
  await Promise.all(others.map((page) => page.close()));
  if (!isSilent) return;
  isSilent = false;
  for (const link of wire.links()) link.cut();
});
afterAll(async () => {
  await context?.close();
  await Promise.all([site, stranger].map((one) => one?.close()));
  for (const work of undo) await work();
});

/** Tolerated growth after twenty conversations: less than one object of each kind per conversation. */
const room: Remains = {
  nodes: 19,
  listeners: 19,
  sockets: 2,
  audioContexts: 2,
  audioNodes: 10,
  worklets: 2,
  frames: 0,
  heapBytes: 20 * 20_000,
};

async function open(on: Site = site, attributes = '', page = usual): Promise<Page> {
  const { url } = talking.service;
  on.show(...twoLines(talking.experienceId, url, `ws://127.0.0.1:${wire.port}`, attributes));
  await page.goto(on.origin);
  return page;
}

/** Opens a new page. `script` runs before the scripts of the page. */
async function openNew(attributes = '', script = ''): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(script);
  return open(site, attributes, page);
}

describe('a two-line embed on a page with the strictest policy', () => {
  test('starts on a press of Start; the character speaks, moves its mouth, answers and leaves', async () => {
    const own = await browser.open({ permissions: ['microphone'], reducedMotion: 'no-preference' });
    onTestFinished(() => own.close());
    const page = await open(site, '', await own.newPage());
    const complaints = await watch(page, talking.service.url);
    const sessions = (await talking.sessions()).length;
    await page.getByRole('button', { name: 'Start' }).click();
    await isIn(page, 'speaking');
    // Sound is played, and the mouth follows it.
    await expect.poll(() => ask(page, (one) => one.output.level())).toBeGreaterThan(0.05);
    const mouth = page.locator('[data-viseme]');
    await mouth.and(page.locator(':not([data-viseme=sil])')).waitFor({ state: 'attached' });
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('What shall I tell you about?').waitFor();
    await isIn(page, 'listening');
    expect(await ask(page, (one) => one.messages)).toMatchObject([{ role: 'character', status: 'final' }]);
    // A click on a suggestion sends it, and a reply follows.
    await page.getByRole('button', { name: 'When do the ferries leave?' }).click();
    await log.getByText('They leave at every full hour').waitFor();
    // A typed question interrupts the reply.
    await isIn(page, 'speaking');
    await page.getByRole('textbox', { name: 'Write a message' }).fill('When do the ferries leave?');
    await page.keyboard.press('Enter');
    await page.locator('.line.cut').waitFor();
    await expect.poll(() => page.locator('.note').innerText()).toContain('a written script');
    expect(await page.content()).not.toContain('eyJ');
    expect(await ask(page, (one) => JSON.stringify(one.session))).not.toContain('eyJ');
    await page.getByRole('button', { name: 'End the conversation' }).click();
    await becomes(page, 'ended');
    await expect.poll(async () => (await talking.sessions())[0].status).toBe('ended');
    const [session] = await talking.sessions();
    expect(session).toMatchObject({ endReason: 'client_ended', origin: site.origin, source: 'browser' });
    expect((await talking.sessions()).length).toBe(sessions + 1);
    expect(complaints.filter((one) => !one.startsWith('outside request'))).toEqual([]);
    await expect.poll(() => page.getByRole('button', { name: 'Start again' }).isVisible()).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('has no accessibility violation on the way to a conversation, or when it ends early', async () => {
    // Disables the page's timeouts, which could fire on a loaded machine.
    const patience = `{
      const { setTimeout } = window;
      const isLimit = (ms) => ms >= 10_000;
      window.setTimeout = (work, ms, ...rest) => isLimit(ms) ? 0 : setTimeout(work, ms, ...rest);
    }`;
    const page = await openNew('', patience);
    let mint = () => {};
    const held = new Promise<void>((resolve) => {
      mint = resolve;
    });
    await page.route('**/v1/browser-sessions', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('Getting ready…').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await ask(page, (one) => one.state)).toBe('minting');
    isSilent = true;
    mint();
    await page.getByText('Connecting…').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await ask(page, (one) => one.state)).toBe('connecting');
    await page.getByRole('button', { name: 'End the conversation' }).click();
    await becomes(page, 'ended');
    await expect.poll(() => page.locator('.apology').innerText()).toBe('The conversation has ended.');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('shows the microphone level, and mutes it', async () => {
    const own = await beeping.open({ permissions: ['microphone'] });
    onTestFinished(() => own.close());
    await own.addInitScript(endlessRecognition);
    const page = await open(site, '', await own.newPage());
    await page.getByRole('button', { name: 'Start' }).click();
    await becomes(page, 'live');
    await expect.poll(() => ask(page, (one) => one.mic.level())).toBeGreaterThan(0.02);
    const button = page.getByRole('button', { name: 'Turn the microphone off' });
    await button.click();
    await page.getByRole('button', { name: 'Turn the microphone on' }).waitFor();
    expect(await ask(page, (one) => one.mic.status)).toBe('muted');
  });
});

describe('the element', () => {
  test('emits events, and lets the page change or cancel a launch', async () => {
    const page = await open();
    const before = (await talking.sessions()).length;
    await page.evaluate(`(() => {
      window.told = [];
      for (const name of ['launch', 'statechange', 'modechange', 'message', 'ended', 'close'])
        document.addEventListener('experience:' + name, (event) => told.push(name));
      document.addEventListener('experience:launch', (event) => event.preventDefault(), { once: true });
    })()`);
    const start = page.getByRole('button', { name: 'Start' });
    await start.click();
    expect(await page.evaluate('told')).toEqual(['launch']);
    expect(await ask(page, (one) => one.state)).toBe('idle');
    await page.evaluate(`document.addEventListener('experience:launch', ({ detail }) => {
      detail.request.speechInputMode = 'off';
    }, { once: true })`);
    await start.click();
    await isIn(page, 'speaking');
    // In Safari, Escape that cancels an IME composition has the key code 229.
    await page.getByRole('textbox').dispatchEvent('keydown', { key: 'Escape', keyCode: 229 });
    expect(await ask(page, (one) => one.state)).toBe('live');
    // Cancelling `experience:close` keeps the session open.
    await page.evaluate(
      `document.addEventListener('experience:close', (event) => event.preventDefault(), { once: true })`,
    );
    await page.keyboard.press('Tab');
    await page.getByRole('textbox').press('Escape');
    expect(await ask(page, (one) => one.state)).toBe('live');
    await page.getByRole('textbox').press('Escape');
    await becomes(page, 'ended');
    const told = (await page.evaluate('told')) as string[];
    expect(new Set(told)).toEqual(
      new Set(['launch', 'statechange', 'modechange', 'message', 'ended', 'close']),
    );
    const sessions = await talking.sessions();
    expect(sessions.length).toBe(before + 1);
    expect(sessions[0].speechInputMode).toBe('off');
  });

  test('shows a custom start button, or none', async () => {
    const labelled = await open(site, 'start-button="Talk to Maren"');
    await labelled.getByRole('button', { name: 'Talk to Maren' }).waitFor();
    const without = await open(site, 'start-button="false"');
    await player(without).waitFor();
    await expect.poll(() => without.getByRole('button').count()).toBe(0);
  });

  test('applies later attribute changes and removals', async () => {
    const page = await open(site, 'close-button="Hang up"');
    const id = talking.experienceId;
    const change = (of: string) =>
      page.evaluate(`(() => { const it = document.querySelector('session-experience'); ${of}; })()`);
    await change(`it.removeAttribute('experience-id')`);
    await player(page).waitFor({ state: 'detached' });
    await change(`it.setAttribute('experience-id', 'not an id')`);
    await change(`it.setAttribute('experience-id', '${id}')`);
    // A fake transport that the test controls.
    await page.evaluate(`SessionLaunch.register({ type: 'websocket', load: async () => async ({ sink }) => {
      window.sink = sink;
      return { setMic() {}, sendText() {}, interrupt() {}, setVolume() {}, close() {} };
    } })`);
    await page.getByRole('button', { name: 'Start' }).click();
    await becomes(page, 'live');
    await page.getByRole('button', { name: 'Hang up' }).waitFor();
    await change(`it.removeAttribute('close-button')`);
    await page.getByRole('button', { name: 'End the conversation' }).waitFor();
    const note = page.locator('.note');
    // A notice of the maximum duration stays when the user replies, and screen readers announce it.
    await change(`
      const secondsLeft = it.experience.manifest.limits.maxSeconds;
      sink.event({ type: 'notice', code: 'ENDING_SOON', secondsLeft });
      sink.message({ id: '0', role: 'user', text: 'Hello', status: 'partial' })`);
    await note
      .getByRole('status')
      .getByText(/ends in \d+ seconds/)
      .waitFor();
    await change(`
      const [mind, speech, hearing] = ['script', 'server', 'none'].map((kind) => ({ kind }));
      sink.event({ type: 'ready', engines: { mind, speech, hearing } });
      sink.event({ type: 'suggestions', items: [{ text: 'What is new?', locale: 'en' }] });
      it.experience.attach(it.shadowRoot).detach();
      it.experience.attach(it.shadowRoot)`);
    await note.getByText('a written script').waitFor();
    await page.getByRole('button', { name: 'What is new?' }).waitFor();
    await change(`sink.event({ type: 'notice', code: 'ENDING_SOON', secondsLeft: 30 })`);
    await note.getByText('ends in 30 seconds').waitFor();
    // A spoken reply of the user.
    await change(`sink.message({ id: '1', role: 'user', text: 'I am here', status: 'partial' })`);
    await note.getByText('ends in 30 seconds').waitFor({ state: 'detached' });
  });

  test('shows all text while the browser blocks audio; after a click on a suggestion the audio plays', async () => {
    const page = await openNew('autostart speech-input-mode="off"');
    const hear = page.getByRole('button', { name: 'Tap to hear' });
    await hear.waitFor();
    await page.getByText('What shall I tell you about?').waitFor();
    await isIn(page, 'listening');
    await page.getByRole('button', { name: 'When do the ferries leave?' }).click();
    await hear.waitFor({ state: 'hidden' });
    await expect.poll(() => ask(page, (one) => one.output.level())).toBeGreaterThan(0.05);
  });
});

describe('the script', () => {
  test('has no effect when loaded twice; thumbnails show both layers, in several widths if available, or initials', async () => {
    const script = `<script src="${talking.service.url}/sdk/v2/session-launch.js"></script>`;
    const thumbnail = (attributes: string) => `<experience-thumbnail ${attributes}></experience-thumbnail>`;
    site.show(
      [
        `${script}<script>window.first = SessionLaunch</script>${script}`,
        thumbnail(
          'title="Old Harbor" avatar-image="/avatars/maren/full.svg" background-image="/locations/old-harbor/wide.svg"',
        ),
        thumbnail('title="Late Line" avatar-image="null"'),
        thumbnail('title="Tower" avatar-image="/avatars/tower/full.png"'),
      ].join(''),
    );
    const page = usual;
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(site.origin);
    expect(await page.evaluate(`first === SessionLaunch`)).toBe(true);
    expect(faults).toEqual([]);
    const layers = page.locator('experience-thumbnail').first().locator('img');
    await expect
      .poll(() =>
        layers.evaluateAll((all) => all.map((one) => (one as { naturalWidth?: number }).naturalWidth! > 0)),
      )
      .toEqual([true, true]);
    const shown = (name: string) =>
      layers.evaluateAll((all, of) => all.map((one) => one.getAttribute(of)), name);
    await expect.poll(() => shown('alt')).toEqual(['', 'Old Harbor']);
    await expect.poll(() => shown('loading')).toEqual(['lazy', 'lazy']);
    await expect.poll(() => shown('srcset')).toEqual([null, null]);
    await expect.poll(() => page.getByRole('img', { name: 'Late Line' }).innerText()).toBe('LL');
    const srcset = await page.getByRole('img', { name: 'Tower' }).getAttribute('srcset');
    expect(srcset).toMatch(/full\.png\?w=160 160w,.*full\.png\?w=1280 1280w$/);
  });
});

describe('one session', () => {
  const count = async () => (await talking.sessions()).length;

  test('is created by a double click', async () => {
    const before = await count();
    const page = await open();
    await page.getByRole('button', { name: 'Start' }).dblclick();
    await becomes(page, 'live');
    expect(await ask(page, (one) => one.state)).toBe('live');
    expect(await count()).toBe(before + 1);
  });

  test('is created by a key that is held down', async () => {
    const before = await count();
    const page = await open();
    await page.getByRole('button', { name: 'Start' }).focus();
    for (let i = 0; i < 5; i++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await becomes(page, 'live');
    expect(await count()).toBe(before + 1);
  });

  test('is created if the response is lost after it was recorded', async () => {
    const before = await count();
    const page = await open();
    let lost = 0;
    await page.route('**/v1/browser-sessions', async (route) => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.getByRole('button', { name: 'Start' }).click();
    await becomes(page, 'live');
    expect(lost).toBe(2);
    expect(await count()).toBe(before + 1);
  });

  test('is ended if the element is removed while the mint is pending', async () => {
    const page = await open();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/browser-sessions', async (route) => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    const recorded = page.waitForRequest((request) => request.url().endsWith('/browser-sessions'));
    await page.getByRole('button', { name: 'Start' }).click();
    await recorded;
    await page.evaluate(`document.querySelector('session-experience').remove()`);
    const left = page.waitForRequest((request) => request.url().endsWith('/leave'));
    await page.evaluate(`new Promise((resolve) => setTimeout(resolve))`);
    release();
    await left;
    await expect.poll(async () => (await talking.sessions())[0].status).toBe('ended');
  });

  test('is kept when the element is moved', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Start' }).click();
    await becomes(page, 'live');
    const before = await ask(page, (one) => one.session.sessionId);
    await page.evaluate(`(() => {
      const box = document.body.appendChild(document.createElement('div'));
      box.append(document.querySelector('session-experience'));
      return new Promise((resolve) => setTimeout(resolve, 50));
    })()`);
    expect(await ask(page, (one) => [one.state, one.session.sessionId])).toEqual(['live', before]);
  });
});

describe('leaving a page', () => {
  test('ends the session of a page in the back/forward cache; restored, it shows Start and mints nothing', async () => {
    // Chromium does not put a page that uses the microphone into the back/forward cache.
    const page = await openNew('speech-input-mode="off"');
    await page.evaluate(`addEventListener('pageshow', ({ persisted }) => { window.isBack = persisted; })`);
    await page.getByRole('button', { name: 'Start' }).click();
    await isIn(page, 'speaking');
    const id = await ask(page, (one) => one.session.sessionId);
    const before = (await talking.sessions()).length;
    // Requests in flight would keep the page out of the cache.
    await page.locator('[data-viseme]').waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    await page.goto(stranger.origin);
    const status = async () => (await talking.sessions()).find((one) => one.sessionId === id)?.status;
    await expect.poll(status).toBe('ended');
    await page.goBack({ waitUntil: 'commit' });
    await expect.poll(() => page.evaluate(`window.isBack`)).toBe(true);
    await page.getByRole('button', { name: 'Start again' }).waitFor();
    expect(await ask(page, (one) => one.state)).toBe('ended');
    expect((await talking.sessions()).length).toBe(before);
    await page.getByRole('button', { name: 'Start again' }).click();
    await isIn(page, 'speaking');
  });

  test('after twenty conversations leaves no objects of the SDK behind', async () => {
    const page = await openNew();
    const remains = await watchRemains(page);
    const talk = (times: number) =>
      page.evaluate(`(async () => {
        const { experience } = document.querySelector('session-experience');
        for (let i = 0; i < ${times}; i++) {
          const speaking = new Promise((resolve) => {
            const off = experience.on('modeChange', (mode) => mode === 'speaking' && resolve(off()));
          });
          await experience.start();
          await speaking;
          await experience.end();
        }
      })()`);
    // The first conversations load and compile scripts.
    await talk(5);
    const before = await remains();
    await talk(20);
    // The browser frees closed objects asynchronously. One object of each kind may remain from the last conversation.
    await expect
      .poll(async () => {
        const after = await remains();
        return (Object.keys(after) as (keyof Remains)[]).filter((of) => after[of] > before[of] + room[of]);
      })
      .toEqual([]);
  });
});

describe('failures', () => {
  test('a dropped connection resumes the same session', async () => {
    const page = await open();
    const before = (await talking.sessions()).length;
    await page.getByRole('button', { name: 'Start' }).click();
    await becomes(page, 'live');
    await ask(page, (one) => {
      one.seen = [];
      one.on('stateChange', (state: string) => one.seen.push(state));
    });
    for (const link of wire.links()) link.cut();
    await expect.poll(() => ask(page, (one) => one.seen)).toEqual(['reconnecting', 'live']);
    await page.getByRole('textbox').fill('When do the ferries leave?');
    await page.keyboard.press('Enter');
    await page.getByText('They leave at every full hour').waitFor();
    expect((await talking.sessions()).length).toBe(before + 1);
  });

  test('a page that is not on the allowlist logs advice for its developer and shows its visitor a friendly message', async () => {
    const page = await open(stranger);
    const warnings: string[] = [];
    page.on('console', (message) => warnings.push(message.text()));
    await page.getByRole('button', { name: 'Start' }).click();
    await becomes(page, 'failed');
    await page.getByText('This conversation cannot be started right now.').first().waitFor();
    expect(warnings.join('\n')).toMatch(
      new RegExp(`ORIGIN_NOT_ALLOWED.*${stranger.origin} in allowedOrigins.*req_`),
    );
    await expect.poll(() => page.locator('.player').innerText()).not.toContain('allowedOrigins');
  });

  test('a rate limit counts down on the start button', async () => {
    const page = await open();
    await page.route('**/v1/browser-sessions', (route) =>
      route.fulfill({
        status: 429,
        headers: {
          'Retry-After': '30',
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Expose-Headers': 'Retry-After',
        },
        json: { error: { code: 'RATE_LIMITED', message: 'Too many.', requestId: 'req_1' } },
      }),
    );
    await page.getByRole('button', { name: 'Start' }).click();
    const button = page.getByRole('button', { name: /Try again in \d+ s/ });
    await button.waitFor();
    await expect.poll(() => button.isDisabled()).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    const first = Number.parseInt(/\d+/.exec(await button.innerText())![0], 10);
    await expect
      .poll(async () => Number.parseInt(/\d+/.exec(await button.innerText())![0], 10))
      .toBeLessThan(first);
  });

  test('a session that its owner ends is ended in the page', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Start' }).click();
    await becomes(page, 'live');
    const id = await ask(page, (one) => one.session.sessionId);
    const made = await talking.service.admin({
      method: 'POST',
      path: `/admin/projects/${talking.projectId}/keys`,
      body: { mode: 'test', scopes: ['sessions:create', 'sessions:read'] },
    });
    const headers = { Authorization: `Bearer ${made.json.key}` };
    await talking.service.call({ method: 'POST', path: `/v1/sessions/${id}/end`, headers });
    await becomes(page, 'ended');
    await page.getByRole('button', { name: 'Start again' }).click();
    await becomes(page, 'live');
  });
});
