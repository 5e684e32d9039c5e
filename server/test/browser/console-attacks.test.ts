import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { startSite, useBrowser } from '@session-launch/testing/browser.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { codeFor, cookieFrom, login } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
let site: Awaited<ReturnType<typeof startSite>>;
let context: BrowserContext;

beforeAll(async () => {
  // On the same host as the admin listener, but on another port.
  site = await startSite();
  context = await browser.open();
  const [name = '', value = ''] = cookieFrom(await login(service, { code: await codeFor(service) })).split(
    '=',
  );
  await context.addCookies([
    { name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' },
  ]);
});
afterAll(async () => {
  await context?.close();
  await site?.close();
});

const operators = async () => (await askAdmin(service, 'GET /admin/operators')).operators;

/** Collects cookie and Sec-Fetch-Site of the POST requests that reach the service, which runs in this process. */
function postsReceived() {
  const found: { cookie: string | undefined; site: unknown }[] = [];
  const note = (message: unknown) => {
    const { method, headers } = (message as { request: IncomingMessage }).request;
    if (method === 'POST') found.push({ cookie: headers.cookie, site: headers['sec-fetch-site'] });
  };
  subscribe('http.server.request.start', note);
  return () => {
    unsubscribe('http.server.request.start', note);
    return found;
  };
}

test('a page on the admin listener itself can use the cookie', async () => {
  const page = await context.newPage();
  await page.goto(`${service.adminUrl}/admin/sign-in`);
  const status = await page.evaluate(async () => (await fetch('/admin/me')).status);
  expect(status).toBe(200);
  await page.close();
});

test('a script on another port of the host sends the cookie and changes nothing', async () => {
  const page = await context.newPage();
  await page.goto(site.origin);
  const answered = page.waitForResponse((response) => response.url().endsWith('/admin/operators'));
  const received = postsReceived();
  await page.evaluate(async (url) => {
    const body = JSON.stringify({ name: 'Eve', role: 'owner' });
    await fetch(`${url}/admin/operators`, { method: 'POST', mode: 'no-cors', credentials: 'include', body });
  }, service.adminUrl);
  expect((await answered).status()).toBe(403);
  // Without the check the request would have been accepted: the browser sends the cookie.
  expect(received()).toEqual([{ cookie: expect.stringContaining('console_'), site: 'same-site' }]);
  expect(await operators()).toEqual([]);
  await page.close();
});

test('a form on another port of the host changes nothing', async () => {
  const page = await context.newPage();
  const form = `<form method="post" enctype="text/plain" action="${service.adminUrl}/admin/operators">
    <input name='{"name":"Eve","role":"owner","x":"' value='"}'><button>Send</button></form>`;
  site.show(form);
  await page.goto(site.origin);
  const answered = page.waitForResponse((response) => response.url().endsWith('/admin/operators'));
  await page.click('button');
  expect((await answered).status()).toBe(403);
  expect(await operators()).toEqual([]);
  await page.close();
});

test('a form on another site is sent without the cookie and changes nothing', async () => {
  const page = await context.newPage();
  site.show(
    `<form method="post" action="${service.adminUrl}/admin/operators"><input name="name" value="Eve"><button>Send</button></form>`,
  );
  // The same server under another name, which is another site for the browser.
  await page.goto(site.origin.replace('127.0.0.1', 'localhost'));
  const answered = page.waitForResponse((response) => response.url().endsWith('/admin/operators'));
  const received = postsReceived();
  await page.click('button');
  expect((await answered).status()).toBe(401);
  expect(received()).toEqual([{ cookie: undefined, site: 'cross-site' }]);
  expect(await operators()).toEqual([]);
  await page.close();
});

test('the console cannot be framed', async () => {
  const page = await context.newPage();
  site.show(`<iframe src="${service.adminUrl}/console/"></iframe>`);
  const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await page.goto(site.origin);
  expect((await refused).text()).toContain(service.adminUrl);
  const [frame] = page.frames().filter((one) => one !== page.mainFrame());
  expect(await frame?.evaluate<unknown>('document.getElementById("console")')).toBeNull();
  await page.close();
});
