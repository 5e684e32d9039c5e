import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { expect } from 'vitest';
import { consoleUrl } from './behind-proxy.ts';

/** Sends a request for the console to a proxy that listens with TLS on a local port. */
export function consoleBehind(port: number, certificate: Buffer): (call: Call) => Promise<Answer> {
  const Host = new URL(consoleUrl).host;
  return (call) =>
    send(`https://127.0.0.1:${port}`, { ...call, certificate, headers: { Host, ...call.headers } });
}

/** Signs in with a link and out again, as the console does, and checks the cookie. */
export async function signInAndOut(sendToConsole: (call: Call) => Promise<Answer>): Promise<void> {
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    sendToConsole({ method: 'POST', path, headers, ...(body === undefined ? {} : { body }) });
  const link = await post('/admin/login-links', { Authorization: `Bearer ${adminToken}` }, {});
  expect(link.json.url).toMatch(new RegExp(`^${consoleUrl}/console/#code=`));
  const code = new URL(link.json.url).hash.replace('#code=', '');
  const foreign = { Origin: 'https://elsewhere.example.com', 'Sec-Fetch-Site': 'cross-site' };
  expect((await post('/admin/login', foreign, { code })).status).toBe(403);
  const own = { Origin: consoleUrl, 'Sec-Fetch-Site': 'same-origin' };
  const login = await post('/admin/login', own, { code });
  expect(login.status, login.text).toBe(204);
  const [cookie = '', ...attributes] = (login.headers['set-cookie']?.[0] ?? '').split('; ');
  expect(cookie).toMatch(/^__Host-console=\S+$/);
  expect(attributes.filter((attribute) => !attribute.startsWith('Max-Age=')).sort()).toEqual([
    'HttpOnly',
    'Path=/',
    'SameSite=Strict',
    'Secure',
  ]);
  const headers = { ...own, Cookie: cookie };
  const me = await sendToConsole({ path: '/admin/me', headers });
  expect([me.status, me.json.operator.operatorId], me.text).toEqual([200, 'bootstrap']);
  expect((await post('/admin/logout', headers)).status).toBe(204);
  expect((await sendToConsole({ path: '/admin/me', headers })).status).toBe(401);
}
