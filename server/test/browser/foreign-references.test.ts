import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { useBrowser } from '@session-launch/testing/browser.ts';
import { listen } from '@session-launch/testing/listen.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { handMade, type SdkPage, startSdkPage } from '../harness/sdk-page.ts';

const avatars = new URL('../../../examples/assets/avatars/', import.meta.url);
const maren = JSON.parse(readFileSync(new URL('maren/rig.json', avatars), 'utf8'));

const browser = useBrowser();
let home: SdkPage;
let foreign: Server;
/** Paths that were requested from the other host. */
const asked: string[] = [];
const of = (folder: string) => asked.filter((path) => path.startsWith(folder));
let elsewhere: string;
let context: BrowserContext;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  home = await startSdkPage();
  foreign = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.end();
  });
  elsewhere = `//127.0.0.1:${await listen(foreign)}`;
  context = await browser.open();
  page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
});
beforeEach(() => {
  asked.length = 0;
  errors.length = 0;
});
afterAll(async () => {
  await context?.close();
  foreign?.closeAllConnections();
  await new Promise((resolve) => foreign?.close(resolve));
  await home?.close();
});

/** Spellings of a reference to `url` in attribute values. */
const spellings = (url: string) => [
  `url(${url})`,
  `url('${url}#a')`,
  `URL( "${url}" )`,
  `u\\72l(${url})`,
  `\\75\\72\\6c(${url})`,
  `u\\000072l(${url})`,
  `url(#a) url(${url})`,
  `url(#a),url(${url})`,
  `image-set('${url}' 1x)`,
  `-webkit-image-set(url(${url}) 1x)`,
  `image-set(u\\72l(${url}) 1x)`,
  `cross-fade(url(${url}), url(${url}))`,
  `src('${url}')`,
  `/**/url(${url})`,
  `none, url(${url})`,
  `var(--none, url(${url}))`,
  `url(\n${url})`,
  `url(http:${url})`,
];
const attributes = ['mask', 'clip-path', 'fill', 'stroke', 'filter', 'marker-end', 'cursor', 'mask-image'];

/** Elements that load external resources. */
const elements = (url: string) => `
  <use href="${url}/use.svg#a"/><use xlink:href="${url}/xlink.svg#a"/><image href="${url}/image.png" width="9" height="9"/>
  <style>@import '${url}/import.css'; rect { mask: url(${url}/style) }</style>
  <rect width="9" height="9" style="mask: url(${url}/inline)"/>
  <filter id="f"><feImage href="${url}/filter.png"/></filter><rect width="9" height="9" filter="url(#f)"/>
  <linearGradient id="g" href="${url}/gradient.svg#a"/><rect width="9" height="9" fill="url(#g)"/>
  <foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="${url}/html.png"/></foreignObject>
  <use><set attributeName="href" to="${url}/set.svg#a"/></use>
  <script href="${url}/script.js"/>`;

function attack(url: string): string {
  const escaped = (value: string) => value.replaceAll('"', '&quot;').replaceAll('\n', '&#10;');
  const shapes = attributes.flatMap((attribute) =>
    spellings(`${url}/${attribute}`).map(
      (value) => `<rect width="9" height="9" ${attribute}="${escaped(value)}"/>`,
    ),
  );
  const parts = ['a', 'head', 'backhair', 'eyes', 'shine', 'lids', 'brows', 'body', 'mouth'];
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 480 640">
    ${parts.map((id) => `<g id="${id}"/>`).join('')}${shapes.join('\n')}${elements(url)}</svg>`;
}

/** Waits until the page has been laid out and painted. */
const painted = () =>
  page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);

/** Whether each character is rendered or shown as a picture. */
const areShown = () =>
  page.evaluate(
    `[...document.querySelector('.session-launch-player').shadowRoot.querySelectorAll('.figure')].map(
      ({ shadowRoot, children }) => shadowRoot !== null || children.length > 0)`,
  );

/** Shows characters with these avatars as a session does, and waits until they are rendered. */
async function show(ids: string[]): Promise<void> {
  await page.goto(home.origin);
  const launch = handMade(home.origin, ids, { type: 'none', url: '' });
  await page.evaluate(`(async () => {
    const connection = { setMic() {}, sendText() {}, interrupt() {}, setVolume() {}, close() {} };
    const transports = [{ type: 'none', load: async () => async () => connection }];
    const experience = SessionLaunch.createExperience({ launch: ${JSON.stringify(launch)}, transports });
    experience.attach('#stage');
    await experience.start();
  })()`);
  await expect.poll(areShown).toEqual(ids.map(() => true));
  await painted();
  // Requests are sent in order: when this one has arrived, earlier ones would have arrived as well.
  await page.evaluate(`fetch('${elsewhere}/last')`);
}

test('the attacks reach the other host when nothing blocks them', async () => {
  await page.goto(home.origin);
  await page.evaluate(
    `stage.append(document.importNode(new DOMParser().parseFromString(${JSON.stringify(attack(`${elsewhere}/raw`))}, 'image/svg+xml').documentElement, true))`,
  );
  await painted();
  await expect.poll(() => new Set(of('/raw')).size).toBeGreaterThan(6);
});

test('no drawing makes the page request another host', async () => {
  home.files.set('/avatars/drawn/rig.json', JSON.stringify(maren));
  home.files.set('/avatars/drawn/full.svg', attack(`${elsewhere}/drawn`));
  await show(['drawn']);
  await expect.poll(() => page.locator('[data-viseme]').count()).toBe(1);
  expect([of('/drawn'), of('/last')]).toEqual([[], ['/last']]);
  expect(errors).toEqual([]);
});

test('no rig makes the page request another host', async () => {
  const colors = ['lip', 'inside', 'teeth', 'tongue'].flatMap((color) =>
    spellings(`${elsewhere}/rig/${color}`).map((value) => ({ ...maren.mouth.colors, [color]: value })),
  );
  const ids = colors.map((_, n) => `rig-${n}`);
  for (const [n, id] of ids.entries()) {
    home.files.set(
      `/avatars/${id}/rig.json`,
      JSON.stringify({ ...maren, mouth: { ...maren.mouth, colors: colors[n] } }),
    );
    home.files.set(`/avatars/${id}/full.svg`, readFileSync(new URL('maren/full.svg', avatars), 'utf8'));
  }
  await show(['maren', ...ids]);
  expect([of('/rig'), of('/last')]).toEqual([[], ['/last']]);
  expect(errors).toEqual([]);
});

test.each([
  ['an invalid part name', { brows: 'a b{' }],
  ['a foreign image', { image: `/../..${'//'}full.svg` }],
  ['no head', { head: undefined }],
  ['an invalid pivot', { head: { ...maren.head, pivot: [1] } }],
  ['no eyes', { eyes: null }],
  ['a mouth without a position', { mouth: { ...maren.mouth, at: null } }],
  ['breathing without a part', { breathe: {} }],
])('a rig with %s is rejected: the character is shown as a picture', async (_name, over) => {
  home.files.set('/avatars/malformed/rig.json', JSON.stringify({ ...maren, ...over }));
  home.files.set('/avatars/malformed/full.svg', readFileSync(new URL('maren/full.svg', avatars), 'utf8'));
  await show(['maren', 'malformed']);
  await expect.poll(() => page.locator('[data-viseme]').count()).toBe(1);
  await expect
    .poll(() => page.locator('.figure img').getAttribute('src'))
    .toContain('/avatars/malformed/full.svg');
  expect(errors).toEqual([]);
});

describe.each(readdirSync(avatars))('the drawing of %s', (name) => {
  test('renders every drawing element and attribute', async () => {
    await show([name]);
    const source = readFileSync(new URL(`${name}/full.svg`, avatars), 'utf8');
    const facts = `(root) => [...root.querySelectorAll('*')]
      .filter((one) => one.localName !== 'title' && !one.closest('#mouth, [data-viseme]'))
      .map((one) => [one.localName, ...[...one.attributes].map(({ name, value }) => name + '=' + value)].join(' '))`;
    const drawn = await page.evaluate(
      `(${facts})(document.querySelector('.session-launch-player').shadowRoot.querySelector('.figure').shadowRoot.querySelector('svg'))`,
    );
    const original = await page.evaluate(
      `(${facts})(new DOMParser().parseFromString(${JSON.stringify(source)}, 'image/svg+xml').documentElement)`,
    );
    expect((original as string[]).length).toBeGreaterThan(20);
    expect(drawn).toEqual(original);
  });
});
