import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, inject } from 'vitest';
import type { Chromium } from './chromium.ts';

/**
 * What Chromium leaves out. The last such list counts, so this one repeats that of Playwright; names that a version
 * does not know do no harm.
 */
const leftOut = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // Pages of the address bar, which every window would load behind what is tested.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // A process for the next page, which mostly does not come.
  'SpareRendererForSitePerProcess',
];

/** One real Chromium for a test file; nothing in it talks to anyone by itself. `args` are further switches. */
export function useBrowser(...args: string[]): {
  open(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>;
} {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: inject('chromium').program,
      env: { ...process.env, ...inject('chromium').env } as Record<string, string>,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-domain-reliability',
        '--disable-sync',
        '--no-first-run',
        '--no-pings',
        `--disable-features=${leftOut.join(',')}`,
        ...args,
      ],
      // Pages go into the back/forward cache, as they do for visitors.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    });
  });
  afterAll(() => browser?.close());
  return {
    open: async (options) => {
      // Movement and large pictures cost time, and few tests are about them.
      const context = await browser.newContext({
        viewport: { width: 480, height: 360 },
        reducedMotion: 'reduce',
        ...options,
      });
      // For what hangs: on a busy machine a page takes its time.
      context.setDefaultTimeout(90_000);
      return context;
    },
  };
}

export interface Site {
  origin: string;
  /** What the page holds from now on, and the policy that it is sent with. */
  show(body: string, policy?: string): void;
  close(): Promise<void>;
}

/** An application on an origin of its own: an empty page, until it shows something. */
export async function startSite(): Promise<Site> {
  let body = '';
  let policy: string | undefined;
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    if (policy !== undefined) response.setHeader('Content-Security-Policy', policy);
    response.end(
      `<!doctype html><html lang="en"><title>An application</title><link rel="icon" href="data:,">${body}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    show: (shown, heldTo) => {
      body = shown;
      policy = heldTo;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Everything that a page complains about, and every request that leaves the service. */
export async function watch(page: Page, home: string): Promise<string[]> {
  const found: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) found.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => found.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== home) found.push(`outside request: ${request.url()}`);
  });
  page.on('requestfailed', (request) => found.push(`failed request: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) found.push(`status ${response.status()}: ${response.url()}`);
  });
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI);
  })`);
  return found;
}

declare module 'vitest' {
  export interface ProvidedContext {
    chromium: Chromium;
  }
}
