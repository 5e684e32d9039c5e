import { createServer } from 'node:http';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, inject } from 'vitest';
import type { Chromium } from './chromium.ts';
import { launchOptions, nameOf } from './launch-chromium.ts';
import { listen } from './listen.ts';

/** Each page reads what it has written itself, because all files share the clipboard of the browser. */
const ownClipboard = `if (navigator.clipboard) {
  const { clipboard } = navigator;
  const write = clipboard.writeText.bind(clipboard);
  let written = Promise.resolve('');
  clipboard.writeText = (text) => {
    const isWritten = write(text);
    written = isWritten.then(() => String(text));
    written.catch(() => {});
    return isWritten;
  };
  clipboard.readText = () => written;
}`;

/** Milliseconds to wait for a page. Detects hangs only: on a loaded machine a page can take many seconds. */
export const pageMs = 90_000;

/**
 * Opens pages in a Chromium that all files with these switches share. For a list of switches that is not shared, starts a Chromium for
 * this file. Closes the contexts of a file after its tests.
 */
export function useBrowser(...args: string[]): {
  open(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>;
} {
  let browser: Browser;
  beforeAll(async () => {
    const shared = inject('browsers')[nameOf(args)];
    browser =
      shared === undefined
        ? await chromium.launch(launchOptions(inject('chromium'), args))
        : await chromium.connect(shared);
  });
  afterAll(() => browser?.close());
  return {
    open: async (options) => {
      // A small viewport and reduced motion save CPU time; tests that need more override them.
      const context = await browser.newContext({
        viewport: { width: 480, height: 360 },
        reducedMotion: 'reduce',
        ...options,
      });
      context.setDefaultTimeout(pageMs);
      if (options?.permissions?.includes('clipboard-read')) await context.addInitScript(ownClipboard);
      return context;
    },
  };
}

export interface Site {
  origin: string;
  /** Sets the body of the page and its Content-Security-Policy header. */
  show(body: string, policy?: string): void;
  close(): Promise<void>;
}

/** Starts an HTTP server on its own origin. It serves an empty page until `show` is called. */
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
  const port = await listen(server);
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

/** Collects console errors and warnings, exceptions, failed requests, CSP violations, and requests to other origins than these. */
export async function watch(page: Page, home: string, ...others: string[]): Promise<string[]> {
  const homes = [home, ...others];
  const found: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) found.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => found.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && !homes.includes(origin)) found.push(`outside request: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    // A navigation aborts the requests of the page before.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') found.push(`failed request: ${request.url()}`);
  });
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
    /** WebSocket addresses of the shared browsers, by the names of their switches. */
    browsers: Record<string, string>;
  }
}
