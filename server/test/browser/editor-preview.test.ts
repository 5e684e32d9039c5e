import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { useBrowser, watch } from '@session-launch/testing/browser.ts';
import { editorOf } from '@session-launch/testing/editing.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { apply, createKey, experience, project, runtime, sessionsOf } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { upload as uploadArt } from '../harness/art.ts';
import { inspect } from '../harness/console.ts';
import { codeFor, createOperator } from '../harness/operators.ts';
import { jpeg, svg } from '../harness/pictures.ts';
import { meter, speaks } from '../harness/speaking.ts';
import { isIn, press } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

const run = promisify(execFile);
const talking = useTalkingService(() => []);
const browser = useBrowser(...silentMicrophone);
const origin = 'https://shop.example';

const english = 'Good morning from the harbor.';
const british = 'Good evening from the other side of the sea.';
const secrets = [
  'Never say that the keeper is a ghost.',
  'Ask me about the lantern.',
  'Forty steps lead up.',
];
const one = experience({
  title: 'The harbor',
  public: true,
  allowedOrigins: [origin],
  runtime: runtime({
    languages: { default: 'en' },
    characters: [{ characterId: 'maren', name: 'Maren', avatar: { avatarId: 'maren' } }],
    location: { locationId: 'old-harbor', assets: ['/locations/old-harbor/wide.svg'] },
    transport: { type: 'websocket' },
    mind: {
      persona: secrets[0],
      greeting: { en: english, 'en-GB': british },
      fallback: { en: secrets[1] },
      topics: [{ id: 'steps', ask: { en: 'How many steps?' }, tell: { en: secrets[2] } }],
    },
  }),
});
const file = { project: project({ allowedOrigins: [origin] }), experiences: [one] };
const { id: projectId } = file.project;

let context: BrowserContext;
let page: Page;
let found: string[];
/** How often the console has read the list of preview links. */
let listReads = 0;
/**
 * What the browser complained about, except requests of the frame to the public origin, requests that were aborted when the editor closed,
 * the refused deletion, and the checks of a card that has one picture.
 */
const complaints = () =>
  found.filter(
    (text) =>
      !text.includes(new URL(talking.service.url).host) &&
      !/^failed request|status (of )?4(00|09)/.test(text),
  );

async function signIn(at: Page, operatorId?: string): Promise<void> {
  await at.goto(`${talking.service.adminUrl}/console/#code=${await codeFor(talking.service, operatorId)}`);
  await at.getByRole('button', { name: 'Sign out' }).waitFor();
}

async function openTab(name: string, at = page): Promise<void> {
  const hash = `#/${projectId}/experiences/${one.id}/${name.toLowerCase()}`;
  await at.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await at.getByRole('link', { name, exact: true }).and(at.locator('[aria-current=page]')).waitFor();
}

beforeAll(async () => {
  expect((await apply(talking.service, file)).status).toBe(200);
  context = await browser.open({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'no-preference',
    locale: 'en-US',
    permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
  });
  await context.addInitScript(meter);
  page = await context.newPage();
  await signIn(page);
  await openTab('Languages');
  await page.getByRole('heading', { name: 'Preview' }).waitFor();
  found = await watch(page, talking.service.adminUrl);
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().endsWith('/previews')) listReads++;
  });
});
afterAll(() => context?.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const framed = (at = page) => at.frames().find((frame) => frame.url() === `${talking.service.url}/preview/`)!;
/** The same, also before the frame has loaded the page. */
const frameIn = (at: Page) => at.frameLocator('.preview-frame iframe');
const state = () => page.locator('.preview-state');
const previews = async () =>
  (await talking.service.admin({ path: `/admin/experiences/${one.id}/previews` })).json.previews;
const stored = async () => (await talking.service.admin({ path: `/admin/experiences/${one.id}` })).json;

/** Opens the Setup tab of the editor in another tab of the browser, whose complaints are not collected, and answers public requests. */
async function openSetup(answer: (route: Route) => Promise<unknown>, path = '/**'): Promise<Page> {
  const other = await context.newPage();
  onTestFinished(() => other.close());
  // A service that answers slowly, on a busy machine, must not count as unreachable.
  await other.addInitScript('AbortSignal.timeout = () => new AbortController().signal');
  await other.route(`${talking.service.url}${path}`, answer);
  await other.goto(`${talking.service.adminUrl}/console/#/${projectId}/experiences/${one.id}/setup`);
  return other;
}

/** Answers requests to the public listener by this until the editor shows the message, then lets "Try again" succeed. */
async function isExplained(answer: (route: Route) => Promise<unknown>, message: string): Promise<void> {
  const other = await openSetup(answer);
  const notice = other.getByRole('alert').filter({ hasText: 'The preview cannot be shown' });
  await notice.getByText(message, { exact: false }).waitFor();
  await inspect(other, `preview-${message.slice(0, 12).trim().replaceAll(/\W+/g, '-')}`);
  await other.unrouteAll({ behavior: 'wait' });
  await notice.getByRole('button', { name: 'Try again' }).click();
  await frameIn(other).getByRole('button', { name: 'Start' }).waitFor();
  await notice.waitFor({ state: 'detached' });
}

describe('preview', () => {
  test('its start card shows the character before its location', async () => {
    const picture = framed().getByRole('img', { name: 'Maren' });
    await expect
      .poll(() => picture.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(0);
    await expect
      .poll(() => picture.getAttribute('src'))
      .toBe(`${talking.service.url}/avatars/maren/full.svg`);
    const scene = framed().locator('.looks .scene');
    await expect
      .poll(() => scene.getAttribute('src'))
      .toBe(`${talking.service.url}/locations/old-harbor/wide.svg`);
    await inspect(page, 'preview-card');
  });

  test('its start card is plain if the picture of the location cannot be loaded, also after a reload of the frame', async () => {
    const other = await openSetup((route) => route.fulfill({ status: 404 }), '/locations/**');
    for (const place of ['body', 'body:not([data-old])']) {
      const card = frameIn(other).locator(`${place} .looks.plain`);
      await card.getByRole('img', { name: 'Maren' }).waitFor();
      await expect.poll(() => card.locator('.scene').count()).toBe(0);
      await framed(other).evaluate(`document.body.dataset.old = ''; location.reload()`);
    }
  });

  test('talks the changed draft at one press in the console, while the published version stays', async () => {
    await expect.poll(() => state().innerText()).toContain('begins a conversation with r1');
    await expect.poll(() => previews()).toEqual([]);
    await page.getByRole('radio', { name: /^Fixed/ }).check();
    await page.getByRole('combobox', { name: 'Fixed language of the conversation' }).selectOption('en-GB');
    await expect.poll(() => state().innerText()).toContain('your changes are not in it');
    await button('Restart with my changes').click();
    await speaks(framed());
    await framed().getByText(british).first().waitFor();
    await expect
      .poll(() => state().innerText())
      .toBe('Shows r2, in English (United Kingdom). Fixed to en-GB.');
    // The operator goes on in the console.
    expect(await page.evaluate('document.activeElement.localName')).not.toBe('iframe');
    await inspect(page, 'talking');
    await expect.poll(() => stored()).toMatchObject({ latestRevision: 2, publishedRevision: 1 });
    const path = '/v1/public-sessions';
    const body = { experienceId: one.id };
    const live = await talking.service.call({ method: 'POST', path, headers: { Origin: origin }, body });
    expect(live.json.launch ?? live.json).toMatchObject({ locale: 'en', experience: { revision: 1 } });
    const [session] = await sessionsOf(talking.service, projectId);
    expect(session).toMatchObject({ source: 'public' });
  });

  test('says that the form is newer, and follows the chosen visitor at once', async () => {
    await page.getByRole('radio', { name: /^Match/ }).check();
    await expect.poll(() => state().innerText()).toBe('Shows r2; your changes are not in it.');
    await button('Restart with my changes').click();
    await expect.poll(() => state().innerText()).toContain('Shows r3, in English (United States).');
    await page.getByText('Visitor', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Arrives through' }).selectOption('Your backend');
    await expect
      .poll(() => state().innerText())
      .toBe('Shows r3, in English. The request names no language, so the default applies: en.');
    await page.getByRole('combobox', { name: 'Asks for' }).selectOption('en-GB');
    await framed().getByText(british).first().waitFor();
    await page.getByRole('checkbox', { name: 'Voice only' }).check();
    await framed().locator('.wave').waitFor();
    const [session] = await sessionsOf(talking.service, projectId);
    expect(session).toMatchObject({ source: 'preview', revision: 3, locale: 'en-GB', speechOnly: true });
    await page.getByRole('checkbox', { name: 'Voice only' }).uncheck();
    await page.getByRole('combobox', { name: 'Asks for' }).selectOption('');
  });

  test('a link of its own is withdrawn when the editor closes', async () => {
    await expect.poll(() => previews()).toHaveLength(1);
    await page.evaluate(`location.hash = '#/${projectId}/experiences'`);
    await expect.poll(previews).toEqual([]);
  });

  test('another site cannot start it by message, and the console ignores the messages of other pages', async () => {
    const stranger = await context.newPage();
    await stranger.goto(`${talking.service.url}/preview/`);
    await stranger.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
    await stranger.evaluate(`postMessage({ preview: 'start' }, '*')`);
    await expect.poll(() => stranger.locator('.session-launch-player').count()).toBe(0);
    await stranger.close();
    await openTab('Access');
    await expect.poll(framed).toBeDefined();
    await framed().getByRole('button', { name: 'Start' }).waitFor();
    const answered = await page.evaluate(`new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data);
      postMessage({ preview: 'code' }, location.origin, [port2]);
      setTimeout(() => resolve('nothing'), 300);
    })`);
    expect(answered).toBe('nothing');
    await expect.poll(() => previews()).toEqual([]);
  });

  test('a shared link talks in a fresh browser, discloses nothing of the mind, and is gone when withdrawn', async () => {
    // The list is not read before it is opened.
    expect(listReads).toBe(0);
    await page.getByText('Preview links', { exact: true }).click();
    await page.getByText('No links yet.').waitFor();
    await button('Create link').click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('textbox', { name: 'Conversations at most' })
      .or(dialog.getByRole('spinbutton'))
      .fill('3');
    await inspect(page, 'create-link');
    // Enter, pressed twice.
    await page.evaluate(`{
      const form = document.querySelector('dialog form');
      form.requestSubmit();
      form.requestSubmit();
    }`);
    const url = await dialog.locator('pre').innerText();
    expect(url).toContain(`${talking.service.url}/preview/#`);
    await button('Done').click();
    await page.getByText('0 of 3 conversations').waitFor();
    await expect.poll(() => previews()).toHaveLength(1);

    const fresh = await browser.open({
      locale: 'en-US',
      reducedMotion: 'no-preference',
      permissions: ['microphone'],
    });
    await fresh.addInitScript(meter);
    const visitor = await fresh.newPage();
    const answers: Promise<string>[] = [];
    visitor.on('response', (response) => answers.push(response.text().catch(() => '')));
    await visitor.goto(url);
    await press(visitor, 'Start');
    await isIn(visitor, 'speaking');
    await speaks(visitor);
    const told = (await Promise.all(answers)).join('\n');
    expect(told).toContain('"launch"');
    for (const secret of [...secrets, 'persona', english]) expect(told).not.toContain(secret);
    await page.getByText('1 of 3 conversations').waitFor();

    await page.getByRole('button', { name: /^Withdraw the link to r3/ }).click();
    await inspect(page, 'withdraw');
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('No links yet.').waitFor();
    await visitor.keyboard.press('Escape');
    const refused = visitor.waitForResponse((response) => response.url().endsWith('/preview-sessions'));
    await press(visitor, 'Start');
    expect((await refused).status()).toBe(404);
    await visitor.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    await fresh.close();
  });
});

/** Fields of the dialog for a case, with what is typed into them. */
const typedCases = ['browser', 'public', 'server'].flatMap((endpoint) =>
  [
    { locale: 'en_US' },
    { locale: 'pt-br' },
    { locale: 'zh-hant-tw', secondaryLocale: 'es' },
    { secondaryLocale: 'klingon' },
    { learningLocale: 'fr-CA' },
    { locale: 'sr-latn-rs', 'Accept-Language': 'de' },
    { 'Accept-Language': 'x-none;q=0, hu;q=0.4, ja;q=0.9' },
    { 'Accept-Language': '*' },
    { locale: 'i-default', learningLocale: 'it' },
    { locale: ' ga-IE ', secondaryLocale: 'GA' },
    { locale: 'a' },
    { secondaryLocale: 'de-CH-1996', 'Accept-Language': 'da, en-gb;q=0.8' },
  ].map((fields) => ({ endpoint, fields: endpoint === 'server' ? omitAccept(fields) : fields })),
);

function omitAccept(fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'Accept-Language'));
}

describe('a preview that cannot be shown says why, and is shown by "Try again"', () => {
  test.each<[string, (route: Route) => Promise<unknown>, string]>([
    ['unreachable', (route) => route.abort(), 'Your browser cannot reach the service at'],
    [
      'another program',
      (route) =>
        route.fulfill({ status: 404, body: 'Not found', headers: { 'Access-Control-Allow-Origin': '*' } }),
      'Something other than this service answers at',
    ],
    [
      'refused by a header of a proxy',
      async (route) => {
        const response = await route.fetch();
        await route.fulfill({
          response,
          headers: {
            ...response.headers(),
            'x-frame-options': 'DENY',
            'content-security-policy': "frame-ancestors 'none'",
          },
        });
      },
      'but its page may not be shown inside',
    ],
    [
      'a player that is blocked',
      (route) => (route.request().url().endsWith('/session-launch.js') ? route.abort() : route.continue()),
      'The preview page was loaded, but not its script',
    ],
  ])('%s', async (_, answer, message) => isExplained(answer, message));
});

test('the table of the simulator equals the mints of its curl commands', async () => {
  const { key } = await createKey(talking.service, projectId);
  await openTab('Languages');
  await page.getByRole('radio', { name: /^Match/ }).waitFor();
  await button('Add a case').click();
  await inspect(page, 'case');
  await page.getByRole('dialog').getByRole('combobox', { name: 'Arrives through' }).selectOption('public');
  await page.getByRole('textbox', { name: 'locale', exact: true }).fill('en_US');
  await button('Save case').click();
  for (const { endpoint, fields } of typedCases.slice(1)) {
    // By keyboard: results that arrive move the button.
    await button('Add a case').press('Enter');
    await page.getByRole('combobox', { name: 'Arrives through' }).selectOption(endpoint);
    for (const [name, value] of Object.entries(fields))
      await page.getByRole('textbox', { name, exact: true }).fill(value);
    await button('Save case').click();
  }
  const rows = page
    .getByRole('table', { name: 'Requests and the languages that they get' })
    .locator('tbody tr');
  const number = 5 + typedCases.length;
  expect(number).toBeGreaterThan(40);
  await rows.nth(5).getByText('Refused').waitFor();
  await expect.poll(() => page.getByRole('cell', { name: '…', exact: true }).count()).toBe(0);
  const lines: string[] = [];
  for (let i = 0; i < number; i++) {
    await page.getByRole('button', { name: `Copy as curl: case ${i + 1}`, exact: true }).click();
    lines.push(await page.evaluate<string>('navigator.clipboard.readText()'));
  }
  const results = await page.evaluate<string[]>(
    `[...document.querySelectorAll('tbody tr td')].map((cell) => cell.innerText)`,
  );
  expect(results).toHaveLength(number);
  await Promise.all(
    lines.map(async (line, i) => {
      const { stdout } = await run('sh', ['-c', `${line} -s`], { env: { ...process.env, LAUNCH_KEY: key } });
      const { error, launch, ...rest } = JSON.parse(stdout);
      const { locale } = launch ?? rest;
      if (error === undefined) expect(results[i]!.split('\n')[0], line).toMatch(new RegExp(` ${locale}$`));
      else expect(results[i], line).toContain(error.code);
    }),
  );
  await page.getByRole('button', { name: `Remove case ${number}`, exact: true }).click();
  await expect.poll(() => rows.count()).toBe(number - 1);
  // The cases stay while the page is open.
  await page.reload();
  await rows.nth(4).waitFor();
  await inspect(page, 'languages');
  expect(complaints()).toEqual([]);
});

test('a picture is cropped before its upload, appears on the card, and cannot be deleted while it is used', async () => {
  await openTab('Gallery');
  await page.getByText('Not ready for galleries yet').waitFor();
  await button('The background of the card').click();
  await expect
    .poll(() => page.evaluate('document.activeElement.ariaLabel'))
    .toBe('Choose: Background of the card');
  await page.keyboard.press('Enter');
  await page.getByText('No pictures yet. Upload the first one.').waitFor();
  await inspect(page, 'chooser');
  const upload = page.locator('input[type=file]');
  await upload.setInputFiles({ name: 'words.png', mimeType: 'image/png', buffer: Buffer.from('words') });
  await page.getByText('Your browser cannot read this file as a picture.').waitFor();
  await button('Back').click();
  await upload.setInputFiles({ name: 'sea.jpg', mimeType: 'image/jpeg', buffer: jpeg });
  await page.getByRole('slider', { name: 'Zoom' }).fill('2');
  await page.getByText('600 × 375 pixels').waitFor();
  await inspect(page, 'crop');
  await button('Use this picture').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const [art] = (await talking.service.admin({ path: `/admin/projects/${projectId}/art` })).json.art;
  expect(art).toMatchObject({ kind: 'location', width: 600, height: 375, name: 'sea.webp', usedBy: [] });
  for (const picture of [
    page.getByRole('img', { name: 'Background of the card' }),
    page.locator('.large .background'),
  ])
    await expect
      .poll(() => picture.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(0);

  const thumbnail = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="9"/></svg>',
  );
  for (const slot of ['Thumbnail', 'Avatar on the card']) {
    await button(`Choose: ${slot}`).click();
    if (slot === 'Thumbnail') {
      await upload.setInputFiles({ name: 'dot.svg', mimeType: 'image/svg+xml', buffer: thumbnail });
      await button('Use this picture').click();
    } else {
      await button('Use dot.svg').waitFor();
      // The thumbnail, which is not saved yet, uses it.
      await expect.poll(() => button('Delete dot.svg').count()).toBe(0);
      await button('Use dot.svg').click();
    }
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await button('Use maren').click();
  await page.getByText('Ready for galleries').waitFor();
  await page.getByRole('textbox', { name: 'Add a use case' }).fill('sightseeing');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove sightseeing' }).waitFor();
  await inspect(page, 'gallery');
  await button('Restart with my changes').click();
  await expect.poll(async () => (await stored()).experience.taxonomy).toEqual({ useCases: ['sightseeing'] });
  expect((await stored()).experience.galleryThumb.backgroundImage).toBe(art.path);

  await button('Remove: Background of the card').click();
  await button('Choose: Background of the card').click();
  await button('Use sea.webp').waitFor();
  // The saved experience uses it.
  await expect.poll(() => button('Delete sea.webp').count()).toBe(0);
  await button('Use sea.webp').click();

  const query = 'kind=avatar&name=quay.svg';
  const { path: thumbnailPath } = (await uploadArt(talking.service, projectId, svg(), { query })).json;
  const editor = editorOf(talking.service);
  const quay = { slug: 'quay', title: 'Quay', thumbnailPath, runtime: runtime() };
  const created = await editor.ok(editor.create(projectId, quay), 201);
  await button('Choose: Thumbnail').click();
  await button('Delete quay.svg').click();
  await page.getByRole('dialog').last().getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText(`The picture is used by ${created.experience.id}.`, { exact: false }).waitFor();
  await inspect(page, 'in-use');
  await page.keyboard.press('Escape');
  await button('Use dot.svg').click();
});

describe('access', () => {
  test('the check of an origin equals what mints get', async () => {
    await openTab('Access');
    for (const [text, status] of [
      [origin, 200],
      ['https://other.example', 403],
    ] as const) {
      await page.getByRole('textbox', { name: 'Origin of your page' }).fill(text);
      await button('Check').click();
      const result = page.locator('form [role=status] > p');
      await expect
        .poll(() => result.innerText())
        .toBe(
          `Pages on this origin may ${status === 200 ? '' : 'not '}start sessions${status === 200 ? '' : ' yet'}.`,
        );
      const path = '/v1/public-sessions';
      const body = { experienceId: one.id };
      const headers = { Origin: text };
      expect((await talking.service.call({ method: 'POST', path, headers, body })).status).toBe(status);
    }
    await expect.poll(() => page.locator('pre').last().innerText()).toContain('door="public"');
    await page.getByRole('textbox', { name: 'Allow origin' }).fill('https://new.example');
    await button('Allow origin').click();
    await page.getByRole('button', { name: 'Remove https://new.example' }).waitFor();
    await inspect(page, 'access');
    await button('Restart with my changes').click();
    await expect
      .poll(async () => (await stored()).experience.allowedOrigins)
      .toContain('https://new.example');
    expect(complaints()).toEqual([]);
  });

  test('a creator reads who may change origins, and a viewer why there is no preview', async () => {
    const creator = await createOperator(talking.service, { name: 'Cleo', role: 'creator' });
    const other = await (await browser.open({ viewport: { width: 1280, height: 800 } })).newPage();
    await signIn(other, creator.operatorId);
    await openTab('Access', other);
    await other.getByText('Only an owner can change the origins of an experience.').waitFor();
    await expect.poll(() => other.getByRole('button', { name: /^Remove https/ }).count()).toBe(0);
    const path = `/admin/operators/${creator.operatorId}`;
    await talking.service.admin({ method: 'PATCH', path, body: { role: 'viewer' } });
    await other.reload();
    await other.getByText('Only creators and owners can start a preview.', { exact: false }).waitFor();
    await expect.poll(() => other.getByRole('button', { name: 'Restart with my changes' }).count()).toBe(0);
    await other.context().close();
  });
});
