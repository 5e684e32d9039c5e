import { watch } from '@session-launch/testing/browser.ts';
import { until } from '@session-launch/testing/fleet.ts';
import { adminToken, type Target } from '@session-launch/testing/target.ts';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityProblems } from './accessibility.ts';
import { codeFor } from './operators.ts';

/** A tab with the console. */
export interface ConsoleTab {
  page: Page;
  /** Console messages, policy violations, failed requests and requests to other hosts. */
  complaints: string[];
  button(name: string): Locator;
  field(name: string): Locator;
  dialog(name: string): Locator;
  /** Opens a route such as `/prj_demo/keys` and waits until its data is shown. */
  show(route: string): Promise<void>;
}

/** Keeps toasts until they are closed: the steps from a toast to a click on it can take longer than the 8 s for which it is shown. */
export const keepToasts = `{
  const { setTimeout } = window;
  window.setTimeout = (work, ms, ...rest) => ms === 8_000 ? 0 : setTimeout(work, ms, ...rest);
}`;

/** Opens the console in a new tab of a context that need not be signed in. */
export async function openTab(context: BrowserContext, adminUrl: string, hash = ''): Promise<ConsoleTab> {
  const page = await context.newPage();
  const complaints = await watch(page, new URL(adminUrl).origin);
  await page.goto(`${adminUrl}/console/${hash}`);
  return {
    page,
    complaints,
    button: (name) => page.getByRole('button', { name, exact: true }),
    field: (name) => page.getByRole('textbox', { name, exact: true }),
    dialog: (name) => page.getByRole('dialog', { name }),
    show: async (route) => {
      await page.goto(`${adminUrl}/console/#${route}`);
      await settled(page);
    },
  };
}

/** Signs in with a link, as the holder of the admin token or as an operator, and waits for the first screen. */
export async function openConsole(
  context: BrowserContext,
  service: Target,
  operatorId?: string,
): Promise<ConsoleTab> {
  const tab = await openTab(context, service.adminUrl, `#code=${await codeFor(service, operatorId)}`);
  await settled(tab.page);
  return tab;
}

/** Waits until a screen has its heading and none of its parts is loading. */
async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await until('everything is loaded', async () => (await page.locator('main .loading').count()) === 0);
}

const secret = /sl_(test|live)_\w{20,}|slo_\w+|whsec_[\w+/=]+|#code=|eyJ[\w-]+/g;

/** Lists keys, tokens and secrets of webhooks in the address, the document and the storage of a page, except for `shown`. */
export async function keptSecrets(page: Page, shown = ''): Promise<string[]> {
  const kept = await page.evaluate<string>(`(async () => {
    const stored = [];
    for (const { name } of await indexedDB.databases()) {
      const database = await new Promise((resolve, reject) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error);
      });
      for (const store of database.objectStoreNames) {
        const reading = database.transaction(store).objectStore(store).getAll();
        await new Promise((resolve) => { reading.onsuccess = resolve; });
        stored.push(JSON.stringify(reading.result));
      }
      database.close();
    }
    return [
      location.href,
      JSON.stringify(history.state),
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
      JSON.stringify({ ...localStorage, ...sessionStorage }),
      document.cookie,
      ...stored,
    ].join('\\n');
  })()`);
  const found: string[] = kept.replaceAll(shown || '\0', '').match(secret) ?? [];
  return kept.includes(adminToken) ? [...found, adminToken] : found;
}

/**
 * Checks what is shown for accessibility, for sideways scrolling, and for secrets that must not be kept. Of a screen under a modal
 * dialog, which is inert, only the dialog is checked for accessibility.
 */
export async function inspect(page: Page, name: string, shown = ''): Promise<void> {
  await photograph(page, name);
  const place = (await page.locator('dialog[open]').count()) > 0 ? 'dialog[open]' : 'body';
  expect(await accessibilityProblems(page, place), name).toEqual([]);
  expect(await keptSecrets(page, shown), name).toEqual([]);
}

/** With SCREENSHOTS=folder, keeps pictures of the page for people. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  const before = page.viewportSize();
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
}
