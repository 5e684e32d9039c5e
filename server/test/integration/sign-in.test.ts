import { send } from '@session-launch/testing/http.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld, expectError } from '@session-launch/testing/world.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { Authenticator } from '../../src/operators/authenticate.ts';
import { createStartLink } from '../../src/operators/sign-in.ts';
import { openChanges } from '../../src/store/changes.ts';
import { askAdmin } from '../harness/ask-admin.ts';
import {
  asConsole,
  codeFor,
  cookieFrom,
  createOperator,
  login,
  signedIn,
  withToken,
} from '../harness/operators.ts';
import { startService, useService } from '../harness/service.ts';

const service = useService();
const port = () => new URL(service.adminUrl).port;
const me = (cookie: string, headers = {}) => asConsole(service, cookie, { path: '/admin/me', headers });
const run = (text: string, values: unknown[] = []) => service.database.query('admin', { text }, values);

beforeEach(() => run(`DELETE FROM rate_windows`));

describe('signing in', () => {
  test('with a link sets a cookie for loopback over http', async () => {
    const answer = await login(service, { code: await codeFor(service) });
    expect(answer.status).toBe(204);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^console_${port()}=[\\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict$`),
      ),
    ]);
    const { json } = await me(cookieFrom(answer));
    expect(json).toMatchObject({
      operator: { operatorId: 'bootstrap', role: 'owner', projectIds: null },
      login: { loginId: expect.stringMatching(/^lgn_/) },
      publicUrl: service.url,
    });
    expect(Date.parse(json.login.expiresAt) - Date.parse(json.login.createdAt)).toBe(12 * 3_600_000);
  });

  test('with the admin token or an operator’s token', async () => {
    const { token, operatorId } = await createOperator(service, { role: 'creator' });
    const cookie = cookieFrom(await login(service, { token }));
    expect((await me(cookie)).json.operator).toMatchObject({ operatorId, role: 'creator' });
    expect((await me(cookieFrom(await login(service, { token: adminToken })))).status).toBe(200);
  });

  test('gives a new cookie each time and ends the login of the earlier one', async () => {
    const first = await signedIn(service);
    const answer = await login(
      service,
      { code: await codeFor(service) },
      { Cookie: first, 'Sec-Fetch-Site': 'same-origin' },
    );
    expect(cookieFrom(answer)).not.toBe(first);
    expectError(await me(first), 401, 'ADMIN_TOKEN_INVALID');
  });

  test('over https sets __Host-console with Secure', async () => {
    const other = await startService({ ADMIN_URL: 'https://admin.example.com' }, service);
    try {
      const link = await other.admin({ method: 'POST', path: '/admin/login-links', body: {} });
      expect(link.json.url).toMatch(/^https:\/\/admin\.example\.com\/console\/#code=[\w-]{22}$/);
      const code = link.json.url.split('=')[1];
      const headers = { Host: 'admin.example.com', Origin: 'https://admin.example.com' };
      const answer = await login(other, { code }, headers);
      expect(answer.status, answer.text).toBe(204);
      expect(answer.headers['set-cookie']?.[0]).toMatch(/^__Host-console=.*; Secure$/);
      const read = await asConsole(other, cookieFrom(answer), { path: '/admin/me', headers });
      expect(read.status).toBe(200);
    } finally {
      await other.close();
    }
  });

  test('behind a trusted proxy, X-Forwarded-Proto makes the cookie secure', async () => {
    const other = await startService({ TRUST_PROXY: '127.0.0.1' }, service);
    try {
      const headers = { 'X-Forwarded-Proto': 'https' };
      const secure = await login(other, { token: adminToken }, headers);
      expect(secure.headers['set-cookie']?.[0]).toMatch(/^__Host-console=.*; Secure$/);
      const plain = await login(service, { token: adminToken }, headers);
      expect(plain.headers['set-cookie']?.[0]).not.toContain('Secure');
    } finally {
      await other.close();
    }
  });

  test('over plain http under a known name that is not loopback is refused with the reason', async () => {
    const other = await startService({ ADMIN_URL: 'http://admin.example.com' }, service);
    try {
      const answer = await login(other, { token: adminToken }, { Host: 'admin.example.com' });
      expectError(answer, 421, 'HOST_NOT_KNOWN');
      expect(answer.json.error.message).toContain('plain http');
    } finally {
      await other.close();
    }
  });

  test.each([{}, { code: 'a', token: 'b' }, { code: 7 }, { other: 'x' }])('%j is not valid', async (body) => {
    expectError(await login(service, body), 400, 'INVALID_REQUEST');
  });

  test('GET /admin/sign-in is open', async () => {
    const answer = await send(service.adminUrl, { path: '/admin/sign-in' });
    expect(answer.json).toEqual({ ways: ['link', 'token'] });
    const { headers } = await send(service.adminUrl, { path: '/admin/oidc/start' });
    expect(headers.location).toBe('/console/#error=NOT_FOUND');
  });

  test('GET /admin/sign-in says whether the cookie is valid, only to a page of the console', async () => {
    const path = '/admin/sign-in';
    const cookie = await signedIn(service);
    expect((await asConsole(service, cookie, { path })).json.signedIn).toBe(true);
    const elsewhere = await asConsole(service, cookie, { path, headers: { 'Sec-Fetch-Site': 'same-site' } });
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.json).not.toHaveProperty('signedIn');
    await asConsole(service, cookie, { method: 'POST', path: '/admin/logout', body: {} });
    expect((await asConsole(service, cookie, { path })).json).not.toHaveProperty('signedIn');
  });
});

describe('attacks', () => {
  const write = { method: 'POST', path: '/admin/login-links', body: {} };

  test('a page on another port, or another site, cannot use the cookie', async () => {
    const cookie = await signedIn(service);
    for (const site of ['same-site', 'cross-site', 'none']) {
      const headers = { 'Sec-Fetch-Site': site };
      expectError(await asConsole(service, cookie, { ...write, headers }), 403, 'CROSS_ORIGIN_REFUSED');
      expectError(await me(cookie, headers), 403, 'CROSS_ORIGIN_REFUSED');
    }
  });

  test('without Sec-Fetch-Site the Origin must be the own one', async () => {
    const Cookie = await signedIn(service);
    const ask = (headers: object) =>
      send(service.adminUrl, { path: '/admin/me', headers: { Cookie, ...headers } });
    expect((await ask({ Origin: service.adminUrl })).status).toBe(200);
    for (const headers of [{}, { Origin: 'null' }, { Origin: `http://127.0.0.1:1` }])
      expectError(await ask(headers), 403, 'CROSS_ORIGIN_REFUSED');
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a body of the media type %s is refused',
    async (type) => {
      const cookie = await signedIn(service);
      const headers = { 'Content-Type': type };
      const answer = await asConsole(service, cookie, { ...write, body: '{}', headers });
      expectError(answer, 403, 'CROSS_ORIGIN_REFUSED');
    },
  );

  test('signing in from another page is refused', async () => {
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }])
      expectError(await login(service, { token: adminToken }, headers), 403, 'CROSS_ORIGIN_REFUSED');
  });

  test('a rebound host name is refused with a cookie, not with a token', async () => {
    const cookie = await signedIn(service);
    const Host = `evil.example:${port()}`;
    expectError(await me(cookie, { Host }), 421, 'HOST_NOT_KNOWN');
    expectError(await login(service, { token: adminToken }, { Host }), 421, 'HOST_NOT_KNOWN');
    expect((await service.admin({ path: '/admin/me', headers: { Host } })).status).toBe(200);
  });

  test('no answer has a CORS header', async () => {
    const answer = await me(await signedIn(service), { Origin: 'https://evil.example' });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('the sixth failure within a minute is 429, also for a valid code, and only for that network', async () => {
    const other = await startService({ TRUST_PROXY: '127.0.0.1' }, service);
    try {
      const from = (address: string, body: unknown) => login(other, body, { 'X-Forwarded-For': address });
      const guesses = await Promise.all(
        Array.from({ length: 8 }, (_, i) => from('203.0.113.7', { code: `guess-${i}` })),
      );
      expect(guesses.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
      const refused = await from('203.0.113.7', { token: adminToken });
      expectError(refused, 429, 'TOO_MANY_LOGINS');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await from('203.0.113.8', { token: adminToken })).status).toBe(204);
    } finally {
      await other.close();
    }
  });

  test('setting the clock back by an hour does not prolong the limit of failed sign-ins', async () => {
    const attempt = (token: string) => login(service, { token });
    for (let n = 0; n < 5; n++) expectError(await attempt('slo_wrong'), 401, 'LOGIN_FAILED');
    expectError(await attempt(adminToken), 429, 'TOO_MANY_LOGINS');
    // What a clock that was set back makes of the window.
    await run(`UPDATE rate_windows SET expire = expire + 3600000`);
    expect((await attempt(adminToken)).status).toBe(204);
    // Failures are counted in a new window.
    for (let n = 0; n < 5; n++) expectError(await attempt('slo_wrong'), 401, 'LOGIN_FAILED');
    expectError(await attempt(adminToken), 429, 'TOO_MANY_LOGINS');
  });

  test('a code works once, and not after ten minutes', async () => {
    const code = await codeFor(service);
    const answers = await Promise.all([login(service, { code }), login(service, { code })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    const late = await codeFor(service);
    await run(`UPDATE login_codes SET expires_at = now() - interval '1 second'`);
    expectError(await login(service, { code: late }), 401, 'LOGIN_FAILED');
  });

  test('a stolen cookie is worthless after signing out', async () => {
    const cookie = await signedIn(service);
    const out = await asConsole(service, cookie, { method: 'POST', path: '/admin/logout' });
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']?.[0]).toContain('Max-Age=0');
    expectError(await me(cookie), 401, 'ADMIN_TOKEN_INVALID');
  });

  test('a cookie that is sent twice is not used', async () => {
    const cookie = await signedIn(service);
    expectError(await me(`${cookie}; ${cookie.split('=')[0]}=planted`), 401, 'ADMIN_TOKEN_INVALID');
  });

  test('a token wins over a cookie, even if it is not valid', async () => {
    const cookie = await signedIn(service);
    expectError(await me(cookie, { Authorization: 'Bearer wrong' }), 401, 'ADMIN_TOKEN_INVALID');
    const { token, operatorId } = await createOperator(service);
    const answer = await me(cookie, { Authorization: `Bearer ${token}` });
    expect(answer.json.operator.operatorId).toBe(operatorId);
  });

  test('the password of a proxy does not hide a cookie', async () => {
    const Authorization = `Basic ${Buffer.from('ada:password').toString('base64')}`;
    expect((await me(await signedIn(service), { Authorization })).status).toBe(200);
  });

  test('no secret is in the audit', async () => {
    const { token } = await createOperator(service, { name: 'Secretive' });
    const code = await codeFor(service);
    await login(service, { code: 'a-guessed-code' });
    const cookie = cookieFrom(await login(service, { code }));
    const rows = JSON.stringify(await run('SELECT * FROM audit'));
    for (const secret of [token, code, 'a-guessed-code', cookie.split('=')[1]!, adminToken])
      expect(rows).not.toContain(secret);
    for (const action of ['operator.create', 'login-link.create', 'login.failed', 'login.create'])
      expect(rows).toContain(`"${action}"`);
  });
});

test('logins are listed page by page, newest first, each operator’s own and those that an owner may end', async () => {
  await run('DELETE FROM logins');
  const [world, other] = await Promise.all([createWorld(service), createWorld(service)]);
  const limited = { projectIds: [world.projectId] };
  const owner = await createOperator(service, { role: 'owner', ...limited });
  const viewer = await createOperator(service, { role: 'viewer', ...limited });
  const foreign = await createOperator(service, { role: 'viewer', projectIds: [other.projectId] });
  for (const one of [owner, viewer, foreign, viewer]) await signedIn(service, one.operatorId);
  await signedIn(service);

  async function pages(token: string): Promise<string[][]> {
    const found: string[][] = [];
    let query = 'limit=2';
    for (;;) {
      const { json } = await withToken(service, token, { path: `/admin/logins?${query}` });
      found.push(json.logins.map(({ operatorId }: { operatorId: string }) => operatorId));
      if (json.nextCursor === undefined) return found;
      query = `limit=2&cursor=${json.nextCursor}`;
    }
  }
  const ids = [viewer, foreign, viewer, owner].map(({ operatorId }) => operatorId);
  expect(await pages(adminToken)).toEqual([['bootstrap', ids[0]], [ids[1], ids[2]], [ids[3]]]);
  expect(await pages(owner.token)).toEqual([[ids[0], ids[2]], [ids[3]]]);
  expect(await pages(viewer.token)).toEqual([[ids[0], ids[2]]]);
  const wrong = await withToken(service, viewer.token, { path: '/admin/logins?limit=501' });
  expectError(wrong, 400, 'INVALID_REQUEST');
});

describe('a login ends', () => {
  test('after 60 minutes without a request, and after 12 hours', async () => {
    for (const change of [
      `last_seen_at = now() - interval '61 minutes'`,
      `expires_at = now() - interval '1 second'`,
    ]) {
      const cookie = await signedIn(service);
      await run(`UPDATE logins SET ${change}`);
      expectError(await me(cookie), 401, 'ADMIN_TOKEN_INVALID');
    }
  });

  test('but is not deleted within a minute of that, when another process may have used it', async () => {
    const authenticator = new Authenticator(
      service.database,
      await openChanges(service.database),
      adminToken,
    );
    const stored = async () => (await run('SELECT 1 FROM logins')).length;
    await run('DELETE FROM logins');
    await signedIn(service);
    await run(`UPDATE logins SET last_seen_at = now() - interval '60 minutes 5 seconds'`);
    await authenticator.clean();
    expect(await stored()).toBe(1);
    await run(`UPDATE logins SET last_seen_at = now() - interval '62 minutes'`);
    await authenticator.clean();
    expect(await stored()).toBe(0);
  });

  test('after 60 minutes with background requests only', async () => {
    const cookie = await signedIn(service);
    await run(`UPDATE logins SET last_seen_at = now() - interval '59 minutes'`);
    const minutesIdle = async () => {
      const { logins } = await askAdmin(service, 'GET /admin/logins');
      return Math.floor((Date.now() - Date.parse(logins[0]!.lastSeenAt)) / 60_000);
    };
    expect((await me(cookie, { 'X-Console-Background': 'true' })).status).toBe(200);
    expect(await minutesIdle()).toBe(59);
    const abort = new AbortController();
    const { status } = await fetch(`${service.adminUrl}/admin/events`, {
      headers: { Cookie: cookie, Origin: service.adminUrl },
      signal: abort.signal,
    });
    abort.abort();
    expect(status).toBe(200);
    expect(await minutesIdle()).toBe(59);
    expect((await me(cookie)).status).toBe(200);
    expect(await minutesIdle()).toBe(0);
  });

  test('no later if it has created a link for itself and was replaced', async () => {
    const { operatorId } = await createOperator(service, { name: 'Mary' });
    const cookie = await signedIn(service, operatorId);
    const { login: first } = (await me(cookie)).json;
    const link = await asConsole(service, cookie, { method: 'POST', path: '/admin/login-links', body: {} });
    const code = new URL(link.json.url).hash.replace('#code=', '');
    const { login: second } = (await me(cookieFrom(await login(service, { code })))).json;
    expect(second.expiresAt).toBe(first.expiresAt);
    // A link of another operator gives the full 12 hours.
    const { login: third } = (await me(await signedIn(service, operatorId))).json;
    expect(Date.parse(third.expiresAt)).toBeGreaterThan(Date.parse(first.expiresAt));
  });

  test('when ADMIN_TOKEN is replaced', async () => {
    const cookie = await signedIn(service);
    await run(`UPDATE logins SET token_tag = decode(repeat('00', 32), 'hex') WHERE operator_id IS NULL`);
    expectError(await me(cookie), 401, 'ADMIN_TOKEN_INVALID');
  });

  test('and unused links, when ADMIN_TOKEN is replaced', async () => {
    const earlier = await createStartLink(service.database, service.adminUrl, 'the-earlier-admin-token');
    const present = await createStartLink(service.database, service.adminUrl, adminToken);
    const [old, current] = [earlier, present].map((link) => new URL(link).hash.replace('#code=', ''));
    expectError(await login(service, { code: old }), 401, 'LOGIN_FAILED');
    expect((await login(service, { code: current })).status).toBe(204);
  });

  test('when it is ended in the list of logins', async () => {
    const { operatorId, token } = await createOperator(service, { name: 'Grace' });
    const [cookie, foreign] = [await signedIn(service, operatorId), await signedIn(service)];
    const own = (await withToken(service, token, { path: '/admin/logins' })).json.logins;
    expect(own).toEqual([expect.objectContaining({ operatorId, current: false, address: '127.0.0.1' })]);
    const all = (await asConsole(service, foreign, { path: '/admin/logins' })).json.logins;
    const current = all.find((one: { current: boolean }) => one.current);
    const end = { method: 'DELETE', path: `/admin/logins/${current.loginId}` };
    expectError(await withToken(service, token, end), 404, 'LOGIN_NOT_FOUND');
    const path = `/admin/logins/${own[0].loginId}`;
    expect((await withToken(service, token, { method: 'DELETE', path })).status).toBe(204);
    expectError(await me(cookie), 401, 'ADMIN_TOKEN_INVALID');
    expect((await me(foreign)).status).toBe(200);
  });
});
