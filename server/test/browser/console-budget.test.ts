import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { useBrowser } from '@session-launch/testing/browser.ts';
import { median } from '@session-launch/testing/median.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { createKey, createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConsole, openTab } from '../harness/console.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
let context: BrowserContext;
let projectId: string;
let experienceId: string;

beforeAll(async () => {
  ({ projectId, experienceId } = await createWorld(service));
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  await (await openConsole(context, service)).page.close();
});
afterAll(() => context?.close());

/** The paths of the requests that reach the service, which runs in this process. */
function requestsReceived() {
  const found: string[] = [];
  const note = (message: unknown) => found.push((message as { request: IncomingMessage }).request.url ?? '');
  subscribe('http.server.request.start', note);
  return () => {
    unsubscribe('http.server.request.start', note);
    return found;
  };
}

test('the first load takes at most 8 requests, 70 kB of scripts and 14 kB of style sheets; the editor adds 150 kB at most', async () => {
  // Signed in, with an empty cache.
  const cold = await browser.open({ storageState: await context.storageState() });
  const page = await cold.newPage();
  const tools = await cold.newCDPSession(page);
  await tools.send('Network.enable');
  const types = new Map<string, string>();
  const bytes: Record<string, number> = { Script: 0, Stylesheet: 0 };
  tools.on('Network.responseReceived', ({ requestId, type, response }) => {
    // The preview in the editor loads the player from the public listener.
    if (response.url.startsWith(service.adminUrl)) types.set(requestId, type);
  });
  tools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? '';
    if (type in bytes) bytes[type]! += encodedDataLength;
  });
  const received = requestsReceived();
  await page.goto(`${service.adminUrl}/console/#/${projectId}/overview`);
  await page.getByRole('heading', { name: 'Refused, and what helps' }).waitFor();
  const requests = received().filter((path) => !path.startsWith('/admin/events'));
  expect(requests.length, requests.join(' ')).toBeLessThanOrEqual(8);
  expect(bytes.Script).toBeGreaterThan(0);
  expect(bytes.Script).toBeLessThanOrEqual(70_000);
  expect(bytes.Stylesheet).toBeGreaterThan(0);
  expect(bytes.Stylesheet).toBeLessThanOrEqual(14_000);
  const before = bytes.Script!;
  await page.goto(`${service.adminUrl}/console/#/${projectId}/experiences/${experienceId}/setup`);
  await page.getByRole('heading', { name: 'Preview', exact: true }).waitFor();
  expect(bytes.Script).toBeGreaterThan(before);
  expect(bytes.Script! - before).toBeLessThanOrEqual(150_000);
  await cold.close();
});

test('eight tabs at once all show changes, over one stream of events', async () => {
  const received = requestsReceived();
  const tabs = await Promise.all(
    Array.from({ length: 8 }, () => openTab(context, service.adminUrl, `#/${projectId}/keys`)),
  );
  await Promise.all(tabs.map(({ page }) => page.getByRole('rowheader').first().waitFor()));
  await createKey(service, projectId, { name: 'made elsewhere' });
  await Promise.all(
    tabs.map(({ page }) => page.getByRole('rowheader', { name: 'made elsewhere' }).waitFor()),
  );
  expect(received().filter((path) => path.startsWith('/admin/events'))).toHaveLength(1);
  // The next tab takes the stream over.
  await Promise.all(tabs.slice(0, 7).map(({ page }) => page.close()));
  await createKey(service, projectId, { name: 'made later' });
  await tabs[7]!.page.getByRole('rowheader', { name: 'made later' }).waitFor();
  expect(tabs[7]!.complaints).toEqual([]);
  await tabs[7]!.page.close();
});

test('the list of 100,000 sessions shows its first row as fast as a short one, within a second', async () => {
  const full = await createWorld(service);
  const short = await createWorld(service);
  const mint = async ({ key, experienceId }: World): Promise<string> =>
    (await mintFromServer(service, key, { experienceId })).json.session.sessionId;
  const [minted] = [await mint(full), await mint(short)];
  // The session that was minted, again and again, in the past; in batches, so that no statement takes long.
  const batch = 5_000;
  for (let first = 0; first < 100_000; first += batch)
    await service.database.query(
      'admin',
      {
        text: `INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, given, created_at, expires_at, ended_at, end_reason)
             SELECT 'ses_00' || lpad(n::text, 24, '0'), project_id, experience_id, revision, livemode, source, given,
                    created_at - n * interval '1 second', expires_at - n * interval '1 second',
                    created_at - n * interval '1 second' + interval '5 seconds', 'api_request'
               FROM sessions, generate_series($2::int + 1, $2 + $3) AS n WHERE id = $1`,
      },
      [minted, first, batch],
    );
  const { page } = await openTab(context, service.adminUrl, `#/${projectId}/keys`);
  /** Milliseconds from the click on the link to the first row, measured in the page. */
  const firstRow = async (project: string) => {
    await page.goto(`${service.adminUrl}/console/#/${project}/keys`);
    await page.getByRole('rowheader').first().waitFor();
    return page.evaluate<number>(`new Promise((resolve) => {
      const began = performance.now();
      const look = new MutationObserver(() => {
        if (document.querySelector('main tbody th a[href*="/sessions/ses_"]') === null) return;
        look.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - began));
      });
      look.observe(document.body, { childList: true, subtree: true });
      [...document.querySelectorAll('nav a')].find((one) => one.textContent === 'Sessions').click();
    })`);
  };
  const rounds = 5;
  const times: Record<string, number[]> = { full: [], short: [] };
  for (let round = 0; round < rounds; round++) {
    times.short!.push(await firstRow(short.projectId));
    times.full!.push(await firstRow(full.projectId));
  }
  const [fullMs, shortMs] = [median(times.full!), median(times.short!)];
  console.info(`first row: ${Math.round(fullMs)} ms of 100,000 sessions, ${Math.round(shortMs)} ms of one`);
  await expect.poll(() => page.getByRole('row').count()).toBe(51);
  expectWithin(fullMs, 1_000);
  expectWithin(fullMs, shortMs * 4 + 100);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => page.getByRole('row').count()).toBe(101);
});
