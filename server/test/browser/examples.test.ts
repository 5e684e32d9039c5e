import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApplication } from '@session-launch/testing/application.ts';
import { useBrowser, watch } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createKey, createWorld, sessionsOf } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readPage } from '../harness/pages.ts';
import { onSlowScreen } from '../harness/talking-page.ts';
import { useTalkingService } from '../harness/talking-service.ts';

const talking = useTalkingService(() => []);
const browser = useBrowser(...silentMicrophone);
let context: BrowserContext;
let key: string;
let demoKey: string;

beforeAll(async () => {
  const { service, projectId } = talking;
  context = await onSlowScreen(await browser.open({ permissions: ['microphone'] }));
  [{ key }, { key: demoKey }] = await Promise.all([
    createKey(service, projectId),
    createKey(service, 'prj_demo'),
  ]);
});
afterAll(() => context?.close());

function startExample(name: string, project = { id: '', key: '' }) {
  const folder = fileURLToPath(new URL(`../../../examples/${name}/`, import.meta.url));
  return startApplication(folder, ['server.js'], {
    LAUNCH_URL: talking.service.url,
    LAUNCH_KEY: project.key,
    LAUNCH_PROJECT: project.id,
  });
}

/** Clicks Start and waits until the page has produced sound. A script on the page measures it, so that short sounds are not missed. */
async function hear(page: Page): Promise<void> {
  const start = page.getByRole('button', { name: 'Start' });
  await start.waitFor();
  await page.evaluate(`(() => {
    const { experience } = document.querySelector('session-experience');
    window.heard = { modes: [], loudest: 0 };
    experience.on('modeChange', (mode) => heard.modes.push(mode));
    setInterval(() => { heard.loudest = Math.max(heard.loudest, experience.output.level()); }, 20);
  })()`);
  await start.click();
  await expect.poll(() => page.evaluate('heard.modes')).toContain('speaking');
  await expect.poll(() => page.evaluate('heard.loudest')).toBeGreaterThan(0.05);
}

describe.each(['backend-express', 'backend-fastify', 'backend-fetch'])('examples/%s', (name) => {
  test('the page launches through its relay, the character talks, and the session ends with the page', async () => {
    const { url, output } = await startExample(name, { id: talking.projectId, key });
    const before = (await talking.sessions()).length;
    const page = await context.newPage();
    const complaints = await watch(page, talking.service.url);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    await page.goto(url);
    await hear(page);
    await page.getByRole('log', { name: 'Conversation' }).getByText('Welcome to the harbor').waitFor();
    // The page did not mint itself: its relay did, for the visitor with this cookie.
    expect(new Set(sent)).toEqual(new Set([`${url}/api/launch`]));
    const [visitor] = await context.cookies(url);
    const [session, ...others] = await talking.sessions();
    expect(session).toMatchObject({ source: 'server', status: 'active', userId: visitor?.value });
    expect(others).toHaveLength(before);
    expect(complaints.filter((one) => !one.startsWith('outside request'))).toEqual([]);
    for (const text of [await page.content(), output()]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain('eyJ');
    }
    await page.goto('about:blank');
    await expect.poll(async () => (await talking.sessions())[0].status).toBe('ended');
    await page.close();
  });
});

test('examples/static-page: the page mints without a key, and the character talks', async () => {
  const { url } = await startExample('static-page');
  const world = await createWorld(talking.service, {
    project: { allowedOrigins: [url] },
    experience: {
      runtime: {
        characters: [{ characterId: 'ada', name: 'Ada' }],
        transport: { type: 'websocket' },
        mind: { greeting: { en: 'Hello, and welcome.' } },
      },
    },
  });
  const page = await context.newPage();
  // The file in which a starter configures its URL and experience.
  const settings = { launchUrl: talking.service.url, experienceId: world.experienceId };
  const lines = Object.entries(settings).map(([name, value]) => `export const ${name} = '${value}';`);
  await page.route('**/config.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: lines.join('\n') }),
  );
  const complaints = await watch(page, talking.service.url);
  await page.goto(url);
  await hear(page);
  expect(await sessionsOf(talking.service, world.projectId)).toMatchObject([
    { source: 'browser', origin: url, status: 'active' },
  ]);
  expect(complaints.filter((one) => !one.startsWith('outside request'))).toEqual([]);
  await page.close();
});

test('docs/backend-tutorial.md: the server of the tutorial serves a page that talks', async () => {
  const guide = readPage('docs/backend-tutorial.md');
  const [, program = ''] = /^cat > server\.mjs <<'JS'\n([\s\S]*?)^JS$/m.exec(guide) ?? [];
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  await symlink(
    fileURLToPath(new URL('../../../node_modules', import.meta.url)),
    join(folder.path, 'node_modules'),
  );
  const printing = "function () { console.log('Open http://localhost:' + this.address().port + '/'); }";
  await writeFile(
    join(folder.path, 'server.mjs'),
    program
      .replaceAll('http://127.0.0.1:8080', talking.service.url)
      .replace("listen(3000, 'localhost')", `listen(0, 'localhost', ${printing})`),
  );
  const { url } = await startApplication(folder.path, ['server.mjs'], { LAUNCH_KEY: demoKey });
  const page = await context.newPage();
  await page.goto(url);
  await hear(page);
  await page.close();
});

describe('examples/catalog-mirror', () => {
  const asked = async (status: string) => {
    const route = '/v1/projects/:projectId/experiences';
    return (await readMetrics(talking.service)).total('session_launch_requests_total', { route, status });
  };

  test('shows the catalog in its configured order, revalidates by ETag, and launches', async () => {
    const catalog = await talking.service.call({
      path: '/v1/projects/prj_demo/experiences',
      headers: { Authorization: `Bearer ${demoKey}` },
    });
    const titles = catalog.json.experiences.map(({ title }: { title: string }) => title);
    const unchanged = await asked('304');
    const { url, output } = await startExample('catalog-mirror', { id: 'prj_demo', key: demoKey });
    const page = await context.newPage();
    const complaints = await watch(page, talking.service.url);
    await page.goto(url);
    const shown = () => page.locator('li').allInnerTexts();
    expect((await shown()).map((text) => text.trim().split('\n').at(-1))).toEqual(titles);
    // Both layers of each picture load; one experience has no picture and shows initials.
    const pictures = page.locator('experience-thumbnail img');
    const count = await pictures.count();
    expect(count).toBeGreaterThan(titles.length);
    for (let n = 0; n < count; n++) {
      await pictures.nth(n).scrollIntoViewIfNeeded();
      const width = () =>
        pictures.nth(n).evaluate((image) => (image as { naturalWidth?: number }).naturalWidth);
      await expect.poll(width).toBeGreaterThan(0);
    }
    // The metrics of the shared service also count catalogs of other files.
    await expect.poll(output).toMatch(/catalog: \d+ experiences\n$/);
    const first = await shown();
    await page.reload();
    await expect.poll(() => shown()).toEqual(first);
    await expect.poll(output).toMatch(/catalog: \d+ experiences\ncatalog: unchanged\n$/);
    expect(await asked('304')).toBeGreaterThan(unchanged);
    expect(complaints.filter((one) => !one.startsWith('outside request'))).toEqual([]);
    await page.getByRole('link', { name: titles[0] }).click();
    await hear(page);
    expect(await page.content()).not.toContain(demoKey);
    await page.close();
  });
});
