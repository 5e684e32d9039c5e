import { type Answer, send } from '@session-launch/testing/http.ts';
import { createWorld, expectError } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { client, startIdentityProvider, type TestIdentityProvider } from '../harness/identity-provider.ts';
import { asConsole, signedIn } from '../harness/operators.ts';
import { type Service, startService } from '../harness/service.ts';

let provider: TestIdentityProvider;
let service: Service;

/** The address of a service whose console is below a path of another host. */
const below = 'https://internal.example.com/tools/launch';

beforeAll(async () => {
  provider = await startIdentityProvider();
  service = await startService({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret,
  });
  provider.register(`${service.adminUrl}/admin/oidc/callback`, `${below}/admin/oidc/callback`);
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
});
beforeEach(() => service.database.query('admin', { text: 'DELETE FROM rate_windows' }));

interface BrowseOptions {
  /** The cookie of a login that the browser has, as `name=value`. It is not sent with navigations from another site. */
  strictCookie?: string;
  callbackAt?: string;
  state?: string;
  /** The service behind a proxy that removes the path of `below`. */
  behindProxy?: Service;
}

/** Follows redirects with one cookie jar per origin, as a browser that shows nothing. Stops at the console. */
async function browse(start: string, options: BrowseOptions = {}) {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: URL) => jars.get(url.origin) ?? jars.set(url.origin, new Map()).get(url.origin)!;
  let url = new URL(start);
  for (let hop = 0; hop < 12 && !url.pathname.endsWith('/console/'); hop++) {
    const isBelow = options.behindProxy !== undefined && url.href.startsWith(`${below}/`);
    const isCallback = url.pathname === '/admin/oidc/callback';
    if (isCallback && options.state !== undefined) url.searchParams.set('state', options.state);
    const jar = jarOf(url);
    const strict = options.strictCookie !== undefined && hop === 0 ? [options.strictCookie] : [];
    const Cookie = [...[...jar].map(([name, value]) => `${name}=${value}`), ...strict].join('; ');
    const to = isBelow ? options.behindProxy!.adminUrl : (isCallback && options.callbackAt) || url.origin;
    const path = isBelow ? url.pathname.slice(new URL(below).pathname.length) : url.pathname;
    const site = strict.length > 0 ? { 'Sec-Fetch-Site': 'same-origin' } : {};
    const headers = { Host: url.host, Cookie, ...site };
    const answer: Answer = await send(to, { path: path + url.search, headers });
    expect([302, 303], `${url} ${answer.text}`).toContain(answer.status);
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = line.split(';', 1)[0]!.split(/=(.*)/);
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    url = new URL(answer.headers.location!, url);
  }
  const cookies = jarOf(options.behindProxy === undefined ? new URL(service.adminUrl) : url);
  const name = `console_${new URL(service.adminUrl).port}`;
  return { url, cookies, cookie: cookies.has(name) ? `${name}=${cookies.get(name)}` : undefined };
}

const start = (returnTo = '') => `${service.adminUrl}/admin/oidc/start${returnTo}`;
const me = async (cookie: string) => (await asConsole(service, cookie, { path: '/admin/me' })).json;

test('is offered with the name of the provider', async () => {
  const { json } = await send(service.adminUrl, { path: '/admin/sign-in' });
  expect(json).toEqual({ ways: ['link', 'token', 'oidc'], oidc: { name: new URL(provider.issuer).host } });
});

test('signs in with name and role of the claims, and follows their changes', async () => {
  provider.person = { sub: 'ada', name: 'Ada Lovelace', role: 'developer' };
  const first = await browse(start(`?returnTo=${encodeURIComponent('#/prj_demo/keys')}`));
  expect(first.url.href).toBe(`${service.adminUrl}/console/#/prj_demo/keys`);
  expect(first.cookies.size).toBe(1);
  const { operator } = await me(first.cookie!);
  expect(operator).toMatchObject({ name: 'Ada Lovelace', role: 'developer', projectIds: null });
  provider.person = { sub: 'ada', name: 'Ada King', role: ['nobody', 'creator'] };
  const second = await browse(start());
  expect((await me(second.cookie!)).operator).toEqual({ ...operator, name: 'Ada King', role: 'creator' });
  const text = `SELECT action, via, name FROM audit WHERE target = $1 OR operator_id = $1 ORDER BY id`;
  const rows = await service.database.query('admin', { text }, [operator.operatorId]);
  expect(rows).toEqual([
    { action: 'operator.create', via: 'oidc', name: 'Ada Lovelace' },
    { action: 'login.create', via: 'oidc', name: 'Ada Lovelace' },
    { action: 'operator.change', via: 'oidc', name: 'Ada King' },
    { action: 'login.create', via: 'oidc', name: 'Ada King' },
  ]);
});

test('an operator who was removed and signs in again remains limited to the same projects', async () => {
  const { projectId } = await createWorld(service);
  provider.person = { sub: 'joan', name: 'Joan', role: 'creator' };
  const { operator } = await me((await browse(start())).cookie!);
  const path = `/admin/operators/${operator.operatorId}`;
  const limited = await service.admin({ method: 'PATCH', path, body: { projectIds: [projectId] } });
  expect(limited.status, limited.text).toBe(200);
  expect((await service.admin({ method: 'DELETE', path })).status).toBe(204);
  const { operator: again } = await me((await browse(start())).cookie!);
  expect(again).toMatchObject({ name: 'Joan', role: 'creator', projectIds: [projectId] });
  expect(again.operatorId).not.toBe(operator.operatorId);
  const { entries } = await askAdmin(service, 'GET /admin/audit', {
    query: { action: 'operator.create', limit: '1' },
  });
  expect(entries[0]).toMatchObject({
    target: again.operatorId,
    changes: expect.arrayContaining([{ path: 'projectIds', after: [projectId] }]),
  });
  // A limit that an owner has removed does not come back.
  const unlimited = `/admin/operators/${again.operatorId}`;
  await service.admin({ method: 'PATCH', path: unlimited, body: { projectIds: null } });
  expect((await service.admin({ method: 'DELETE', path: unlimited })).status).toBe(204);
  expect((await me((await browse(start())).cookie!)).operator.projectIds).toBeNull();
});

test('ends the login that the browser had when the sign-in began, and only if the sign-in succeeds', async () => {
  provider.person = { sub: 'ruth', name: 'Ruth', role: 'viewer' };
  const strictCookie = await signedIn(service);
  await browse(start(), { strictCookie, state: 'another' });
  expect((await me(strictCookie)).operator.operatorId).toBe('bootstrap');
  const { cookie } = await browse(start(), { strictCookie });
  expect((await me(cookie!)).operator.name).toBe('Ruth');
  expectError(await asConsole(service, strictCookie, { path: '/admin/me' }), 401, 'ADMIN_TOKEN_INVALID');
  const { logins } = await askAdmin(service, 'GET /admin/logins');
  expect(logins.filter(({ operatorId }: { operatorId: string }) => operatorId === 'bootstrap')).toEqual([]);
});

test('refuses people without a role', async () => {
  provider.person = { sub: 'eve', name: 'Eve', role: 'admin' };
  const { url, cookie } = await browse(start());
  expect(url.href).toBe(`${service.adminUrl}/console/#error=ROLE_FORBIDDEN`);
  expect(cookie).toBeUndefined();
});

test('gives OIDC_DEFAULT_ROLE to people without a role, also if another process began the sign-in', async () => {
  const other = await startService(
    {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: client.id,
      OIDC_CLIENT_SECRET: client.secret,
      OIDC_DEFAULT_ROLE: 'viewer',
    },
    service,
  );
  try {
    provider.person = { sub: 'grace', name: 'Grace' };
    const { cookie } = await browse(start(), { callbackAt: other.adminUrl });
    const value = cookie?.split('=')[1];
    const { operator } = await me(`console_${new URL(service.adminUrl).port}=${value}`);
    expect(operator).toMatchObject({ name: 'Grace', role: 'viewer' });
  } finally {
    await other.close();
  }
});

test('signs in below a path of another host, behind a proxy', async () => {
  const env = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret };
  const behindProxy = await startService({ ...env, ADMIN_URL: below }, service);
  try {
    provider.person = { sub: 'mary', name: 'Mary', role: 'developer' };
    const { url, cookies } = await browse(`${below}/admin/oidc/start?returnTo=%23%2Fprj_demo%2Fkeys`, {
      behindProxy,
    });
    expect(url.href).toBe(`${below}/console/#/prj_demo/keys`);
    expect([...cookies.keys()]).toEqual(['__Host-console']);
    const headers = {
      Host: url.host,
      Cookie: `__Host-console=${cookies.get('__Host-console')}`,
      'Sec-Fetch-Site': 'same-origin',
    };
    const { json } = await send(behindProxy.adminUrl, { path: '/admin/me', headers });
    expect(json.operator).toMatchObject({ name: 'Mary', role: 'developer' });
  } finally {
    await behindProxy.close();
  }
});

test('refuses a changed state and a callback without the cookie', async () => {
  provider.person = { sub: 'ada', name: 'Ada', role: 'owner' };
  const changed = await browse(start(), { state: 'another' });
  expect(changed.url.hash).toBe('#error=LOGIN_FAILED');
  const answer = await send(service.adminUrl, { path: '/admin/oidc/callback?code=x&state=y' });
  expect(answer.headers.location).toBe('/console/#error=LOGIN_FAILED');
});

test.each(['cross-site', 'same-site'])(
  'does not begin for a %s page, which gets the console',
  async (site) => {
    const { status, headers } = await send(service.adminUrl, {
      path: '/admin/oidc/start',
      headers: { 'Sec-Fetch-Site': site },
    });
    expect(status).toBe(302);
    expect(headers.location).toBe('/console/');
    expect(headers['set-cookie']).toBeUndefined();
  },
);

test('limits failures of one network, but not those that any page can cause without the cookie', async () => {
  const path = '/admin/oidc/callback?code=x';
  for (let i = 0; i < 6; i++) {
    const { headers } = await send(service.adminUrl, { path });
    expect(headers.location).toBe('/console/#error=LOGIN_FAILED');
  }
  const Cookie = `console_oidc_${new URL(service.adminUrl).port}=x`;
  for (let i = 0; i < 5; i++) await send(service.adminUrl, { path, headers: { Cookie } });
  const { headers } = await send(service.adminUrl, { path, headers: { Cookie } });
  expect(headers.location).toBe('/console/#error=TOO_MANY_LOGINS');
});

test.each(['https://evil.example', '//evil.example', '/console', '#x', '#/a b'])(
  'returnTo %s is not valid',
  async (returnTo) => {
    const path = `/admin/oidc/start?returnTo=${encodeURIComponent(returnTo)}`;
    expectError(await send(service.adminUrl, { path }), 400, 'INVALID_REQUEST');
  },
);

test('says so if the provider cannot be reached', async () => {
  const env = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b' };
  const other = await startService(env, service);
  try {
    const { headers } = await send(other.adminUrl, { path: '/admin/oidc/start' });
    expect(headers.location).toBe('/console/#error=UNAVAILABLE');
  } finally {
    await other.close();
  }
});
