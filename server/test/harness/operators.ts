import type { CreatedOperator, OperatorRequest } from '@session-launch/contract/admin/operators';
import { checkAdminContract } from '@session-launch/testing/contract.ts';
import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { expect } from 'vitest';
import { askAdmin } from './ask-admin.ts';

export async function createOperator(
  service: Target,
  wish: Partial<OperatorRequest> = {},
): Promise<CreatedOperator> {
  return askAdmin(service, 'POST /admin/operators', { body: { name: 'Ada', role: 'viewer', ...wish } });
}

/** Sends a request to the admin listener without adding a credential. The response is validated against the contract. */
async function sendChecked(service: Target, call: Call): Promise<Answer> {
  const answer = await send(service.adminUrl, call);
  checkAdminContract(call, answer);
  return answer;
}

/** Sends a request with an operator's token. */
export function withToken(service: Target, token: string, call: Call): Promise<Answer> {
  return sendChecked(service, { ...call, headers: { Authorization: `Bearer ${token}`, ...call.headers } });
}

/** Creates a sign-in link and returns its code. */
export async function codeFor(service: Target, operatorId?: string): Promise<string> {
  const body = operatorId === undefined ? {} : { operatorId };
  const { url } = await askAdmin(service, 'POST /admin/login-links', { body });
  return new URL(url).hash.replace('#code=', '');
}

export function login(service: Target, body: unknown, headers: Call['headers'] = {}): Promise<Answer> {
  return sendChecked(service, { method: 'POST', path: '/admin/login', body, headers });
}

/** The cookie of an answer, as `name=value`. */
export function cookieFrom(answer: Answer): string {
  return answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
}

/** Sends a request as a page of the console would. */
export function asConsole(service: Target, cookie: string, call: Call): Promise<Answer> {
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', ...call.headers };
  return sendChecked(service, { ...call, headers });
}

/** Signs in with a link and returns the cookie. */
export async function signedIn(service: Target, operatorId?: string): Promise<string> {
  const answer = await login(service, { code: await codeFor(service, operatorId) });
  expect(answer.status, answer.text).toBe(204);
  return cookieFrom(answer);
}
