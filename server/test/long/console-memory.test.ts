import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useBrowser } from '@session-launch/testing/browser.ts';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { createKey, mintFromServer } from '@session-launch/testing/world.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openConsole } from '../harness/console.ts';

const cleanup = useCleanup();
const browser = useBrowser();
/** Minutes of use. */
const minutes = Number(process.env.CONSOLE_MINUTES ?? 0.5);
/** Rounds before the first measurement, in which the code of all screens is loaded and caches fill. */
const warmUp = 2;
/** Rounds that are measured at least. */
const minRounds = 3;

interface Figures {
  heapMiB: number;
  nodes: number;
  listeners: number;
  serviceMiB: number;
}

/** Measures the page after a garbage collection, and the resident memory of the process. */
async function measure(page: Page, pid: number): Promise<Figures> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  const of = (name: string) => metrics.find((one) => one.name === name)!.value;
  const [, kB] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return {
    heapMiB: of('JSHeapUsedSize') / 2 ** 20,
    nodes: of('Nodes'),
    listeners: of('JSEventListeners'),
    serviceMiB: Number(kB) / 1024,
  };
}

/** Milliseconds for the start, the rounds before the first measurement and the last round, besides the time of use. */
const otherMs = 600_000;

test('memory does not grow while all screens are used over and over', {
  timeout: minutes * 60_000 + otherMs,
}, async () => {
  const { path, remove } = await temporaryFolder();
  cleanup(remove);
  const DATA_DIR = await prepareDataFolder(join(path, 'data'));
  const service = await startProcess({ DATA_DIR, DEMO: 'on' });
  cleanup(() => service.kill('SIGTERM'));
  // The largest experience of the demo project. Its pictures exist, so the browser has no errors to keep.
  const [projectId, experienceId] = ['prj_demo', 'exp_harbor_guide'];
  const context = await browser.open({ viewport: { width: 1280, height: 800 } });
  const tab = await openConsole(context, service);
  const screens = ['overview', 'experiences', 'keys', 'embeds', 'webhooks', 'sessions', 'limits', 'activity'];
  const tabs = ['setup', 'mind', 'languages', 'gallery', 'access', 'revisions', 'yaml'];
  const routes = [
    ...screens.map((screen) => `/${projectId}/${screen}`),
    ...tabs.map((one) => `/${projectId}/experiences/${experienceId}/${one}`),
    '/team',
    '/system',
  ];
  const { key, keyId } = await createKey(service, projectId);
  let rounds = 0;
  const round = async () => {
    for (const route of routes) await tab.show(route);
    // Changes by other operators make the console reload the open screen.
    const path = `/admin/keys/${keyId}`;
    expect((await service.admin({ method: 'PATCH', path, body: { name: `round ${rounds++}` } })).status).toBe(
      200,
    );
    await mintFromServer(service, key, { experienceId });
    await tab.show(`/${projectId}/keys`);
    await tab.button('Create key').click();
    await tab.dialog('Create key').getByRole('button', { name: 'Cancel' }).click();
  };

  for (let n = 0; n < warmUp; n++) await round();
  const measured: Figures[] = [];
  const look = async () => {
    const figures = await measure(tab.page, service.pid);
    measured.push(figures);
    process.stderr.write(`${JSON.stringify(figures)}\n`);
  };
  await look();
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until || measured.length <= minRounds) {
    await round();
    await look();
  }
  const [first, last] = [measured[0]!, measured.at(-1)!];
  const count = measured.length - 1;
  // A screen that is kept has hundreds of nodes and dozens of listeners; one such screen in each round is found.
  expect(last.nodes - first.nodes).toBeLessThan(200 + 20 * count);
  expect(last.listeners - first.listeners).toBeLessThan(50 + 2 * count);
  expect(last.heapMiB - first.heapMiB).toBeLessThan(2 + 0.1 * count);
  expect(last.serviceMiB - first.serviceMiB).toBeLessThan(100 + count);
  // The preview is a page of the public listener.
  expect(tab.complaints.filter((one) => !one.startsWith('outside request'))).toEqual([]);
});
