import { type Site, startSite, useBrowser } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleReact, reactPlayer } from '../harness/react-bundle.ts';
import { focusedControl, walk } from '../harness/tab-walk.ts';
import { becomes, endlessRecognition, isIn, onSlowScreen, player } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
const talking = useTalkingService(() => [site.origin]);
const browser = useBrowser(...silentMicrophone);
let context: BrowserContext;
let page: Page;

/** Keeps the microphone button, and blocks audio playback, so that the button to enable sound is shown. */
const surroundings = `${endlessRecognition}
  Object.defineProperty(AudioContext.prototype, 'state', { get: () => 'suspended' });`;

beforeAll(async () => {
  context = await onSlowScreen(await browser.open({ locale: 'en-US', permissions: ['microphone'] }));
  await context.addInitScript(surroundings);
  page = await context.newPage();
});
afterAll(async () => {
  await context?.close();
  await site?.close();
});

/** What the test uses of the page's globals. */
interface View {
  states: (string | null)[];
  MutationObserver: new (
    changed: () => void,
  ) => { observe(element: unknown, options: { attributeFilter: string[] }): void };
}

/** Collects the states of the player in `states` of the page, beginning with the current one. */
async function watchStates(): Promise<void> {
  await player(page).evaluate((element) => {
    const view = globalThis as unknown as View;
    const state = () => element.getAttribute('data-state');
    view.states = [state()];
    // The player writes the attribute on every draw.
    new view.MutationObserver(() => {
      if (state() !== view.states.at(-1)) view.states.push(state());
    }).observe(element, { attributeFilter: ['data-state'] });
  });
}

const between = (player: string) =>
  `<p><a id="before" href="#before">Before</a></p>${player}<p><a id="after" href="#after">After</a></p>`;

async function openBy(way: string): Promise<void> {
  const { experienceId, service } = talking;
  const options = JSON.stringify({ experienceId, locale: 'en' });
  const stage = '<div id="stage"></div>';
  const script = `<script src="${service.url}/sdk/v2/session-launch.js"></script>`;
  const bodies: Record<string, string> = {
    script: `${between(stage)}${script}
      <script>SessionLaunch.createExperience(${options}).attach('#stage');</script>`,
    element: `${script}${between(`<session-experience experience-id="${experienceId}" locale="en"></session-experience>`)}`,
    module: `${between(stage)}<script type="module">
      import { createExperience } from '${service.url}/sdk/v2/session-launch.mjs';
      createExperience(${options}).attach('#stage');</script>`,
    React: between('<div id="root"></div>'),
  };
  site.show(bodies[way]!);
  await page.goto(site.origin);
  if (way === 'React') {
    await page.addScriptTag({ content: await bundleReact('node_modules', reactPlayer, talking) });
    await page.evaluate(`show({ locale: 'en' })`);
  }
  await page.getByRole('button', { name: 'Start' }).waitFor();
}

/** Moves the focus from the link before the player to the link after it, and back. Returns the controls of the player in order. */
async function walkThrough(): Promise<string[]> {
  await watchStates();
  await page.locator('#before').focus();
  const forth = await walk(page, 'Tab', 'link After');
  const back = await walk(page, 'Shift+Tab', 'link Before');
  const states = (await page.evaluate('states')) as View['states'];
  expect(states, 'the states of the player during the walk').toEqual(states.slice(0, 1));
  const names = forth.map(({ control }) => control);
  expect(back.map(({ control }) => control).reverse()).toEqual(names);
  expect([...forth, ...back].filter(({ isVisible }) => !isVisible)).toEqual([]);
  return names;
}

const live = [
  'button Tap to hear',
  'log Conversation',
  'button When do the ferries leave?',
  'button Turn the microphone off',
  'textbox Write a message',
  'button Send',
  'button Sound off',
  'button Captions',
  'button End the conversation',
];

describe.each(['script', 'element', 'module', 'React'])('a player added to the page by %s', (way) => {
  test('Tab and Shift+Tab reach every control and leave the player, in every state', async () => {
    await openBy(way);
    expect(await walkThrough()).toEqual(['button Start']);
    await page.locator('#before').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await becomes(page, 'live');
    await isIn(page, 'listening');
    expect(await walkThrough()).toEqual(live);
    await page.locator('#after').focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await becomes(page, 'ended');
    await expect.poll(() => focusedControl(page)).toBe('button Start again');
    expect(await walkThrough()).toEqual(['button Start again', 'log Conversation']);
    await page.route('**/v1/browser-sessions', (route) =>
      route.fulfill({ status: 403, headers: { 'Access-Control-Allow-Origin': '*' }, json: {} }),
    );
    await page.getByRole('button', { name: 'Start again' }).press('Enter');
    await becomes(page, 'failed');
    await expect.poll(() => focusedControl(page)).toBe('button Start again');
    expect(await walkThrough()).toEqual(['button Start again']);
    await page.unrouteAll();
  });
});

describe('the focus stays in the player', () => {
  const group = /^group /;

  test('after Start it is on the player, and Escape ends the conversation', async () => {
    await openBy('element');
    await page.getByRole('button', { name: 'Start' }).press('Enter');
    await becomes(page, 'live');
    await expect.poll(() => focusedControl(page)).toMatch(group);
    await page.keyboard.press('Escape');
    await becomes(page, 'ended');
    await expect.poll(() => focusedControl(page)).toBe('button Start again');
  });

  test('when the focused control disappears', async () => {
    await openBy('script');
    await page.getByRole('button', { name: 'Start' }).press('Enter');
    await becomes(page, 'live');
    await page.getByRole('button', { name: 'When do the ferries leave?' }).press('Enter');
    await page.getByText('They leave at every full hour').waitFor();
    await expect.poll(() => focusedControl(page)).toMatch(group);
    await page.keyboard.press('Escape');
    await becomes(page, 'ended');
    await expect.poll(() => focusedControl(page)).toBe('button Start again');
  });

  test('when a script focuses the element of the player', async () => {
    await openBy('script');
    await page.evaluate(`document.querySelector('.session-launch-player').focus()`);
    await expect.poll(() => focusedControl(page)).toMatch(group);
    await page.keyboard.press('Tab');
    await expect.poll(() => focusedControl(page)).toBe('button Start');
  });
});
