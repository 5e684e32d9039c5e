import { useBrowser } from '@session-launch/testing/browser.ts';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { startNginx } from '@session-launch/testing/nginx.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { createKey } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { createCertificate } from '../harness/certificate.ts';
import { inspect, openTab } from '../harness/console.ts';
import { blockRunBy } from '../harness/doc-blocks.ts';
import { client, startIdentityProvider, type TestIdentityProvider } from '../harness/identity-provider.ts';
import { type Service, startService } from '../harness/service.ts';

const cleanup = useCleanup();
const browser = useBrowser();
let base: string;
let service: Service;
let provider: TestIdentityProvider;

beforeAll(async () => {
  const port = await freePort();
  base = `https://localhost:${port}/x/y`;
  provider = await startIdentityProvider();
  cleanup(provider.close);
  provider.register(`${base}/admin/oidc/callback`);
  service = await startService({
    ADMIN_URL: base,
    TRUST_PROXY: '127.0.0.1',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
  });
  cleanup(service.close);
  await startNginx(cleanup, await configured(port, new URL(service.adminUrl).port));
});

/** The configuration in docs/operations.md, with the ports and the path of this test and a new certificate. */
async function configured(port: number, adminPort: string): Promise<string> {
  const { certificate, key } = await createCertificate(cleanup, 'localhost');
  const written = blockRunBy(import.meta.url, 'docs/operations.md');
  const replaced: [string, string][] = [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['server_name internal.example.com', 'server_name localhost'],
    ['/etc/ssl/internal.example.com.pem', certificate],
    ['/etc/ssl/internal.example.com.key', key],
    ['allow 10.0.0.0/8', 'allow 127.0.0.1'],
    ['/tools/launch/', '/x/y/'],
    ['127.0.0.1:8081', `127.0.0.1:${adminPort}`],
  ];
  return replaced.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, written);
}

test('signs in and works below a path of nginx, over https', async () => {
  const context = await browser.open({ viewport: { width: 1280, height: 800 }, ignoreHTTPSErrors: true });
  const { url } = await askAdmin(service, 'POST /admin/login-links');
  expect(url.startsWith(`${base}/console/#code=`)).toBe(true);
  const tab = await openTab(context, base, new URL(url).hash);
  const { page, button, field } = tab;
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  await expect.poll(() => page.url()).toBe(`${base}/console/`);
  expect((await context.cookies()).map(({ name, secure, path }) => ({ name, secure, path }))).toEqual([
    { name: '__Host-console', secure: true, path: '/' },
  ]);

  await button('New project').click();
  await field('Name').fill('Behind nginx');
  await button('Create project').click();
  await page.getByRole('heading', { name: 'Set up' }).waitFor();
  await expect.poll(() => page.url()).toBe(`${base}/console/#/prj_behind_nginx/overview`);
  await inspect(page, 'behind-nginx');

  // Events arrive through the proxy.
  await tab.show('/prj_behind_nginx/keys');
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
  await createKey(service, 'prj_behind_nginx', { name: 'made elsewhere' });
  await page.getByRole('rowheader', { name: 'made elsewhere' }).waitFor();

  // The login survives a reload, and the root of the path leads to the console.
  await page.goto(`${base}/`);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await expect.poll(() => page.url()).toBe(`${base}/console/`);
  await button('Sign out').click();
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  expect(await context.cookies()).toEqual([]);
  expect(tab.complaints).toEqual([]);
  await context.close();
});

test('signs in through an identity provider below a path, and the login that was there ends', async () => {
  const context = await browser.open({ viewport: { width: 1280, height: 800 }, ignoreHTTPSErrors: true });
  const loginCookie = async () => (await context.cookies(base)).map(({ name, path }) => ({ name, path }));
  const operators = async () => {
    const { logins } = await askAdmin(service, 'GET /admin/logins');
    return logins.map(({ operatorId }: { operatorId: string }) => operatorId);
  };
  const { url } = await askAdmin(service, 'POST /admin/login-links');
  const { page, button } = await openTab(context, base, new URL(url).hash);
  await page.locator('.who', { hasText: 'bootstrap owner' }).waitFor();
  expect(await operators()).toEqual(['bootstrap']);

  provider.person = { sub: 'ruth', name: 'Ruth', role: 'viewer' };
  // A link to the start of the sign-in, such as a bookmark that is opened from the console.
  await page.evaluate(`location.href = ${JSON.stringify(`${base}/admin/oidc/start`)}`);
  await page.locator('.who', { hasText: 'Ruth viewer' }).waitFor();
  await expect.poll(() => page.url()).toBe(`${base}/console/#/`);
  expect(await loginCookie()).toEqual([{ name: '__Host-console', path: '/' }]);
  const after = await operators();
  expect(after).toHaveLength(1);
  expect(after).not.toContain('bootstrap');

  await button('Sign out').click();
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  expect(await loginCookie()).toEqual([]);
  expect(await operators()).toEqual([]);
  await page
    .getByRole('button', { name: /^Sign in with / })
    .or(page.getByRole('link', { name: /^Sign in with / }))
    .click();
  await page.locator('.who', { hasText: 'Ruth viewer' }).waitFor();
  await context.close();
});
