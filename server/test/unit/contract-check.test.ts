import { checkContract, contract } from '@session-launch/testing/contract.ts';
import type { Answer, Call } from '@session-launch/testing/http.ts';
import { describe, expect, test } from 'vitest';

/** Tests the harness: a response that violates the contract must be detected. */
const read: Call = { path: '/v1/sessions/ses_1' };
const examples = contract.paths['/v1/sessions/{sessionId}'].get.responses;
const session = examples['200'].content['application/json'].examples.created.value;
const headers = {
  'x-request-id': 'req_1',
  'cache-control': 'no-store, private',
  'content-type': 'application/json; charset=utf-8',
};

function answer(status: number, body: unknown, more: Record<string, string> = {}): Answer {
  const text = body === undefined ? '' : JSON.stringify(body);
  return { status, text, headers: { ...headers, ...more }, json: body };
}

function error(code: string): object {
  return { error: { code, message: 'x', requestId: 'req_1' } };
}

test('responses that the contract defines pass', () => {
  checkContract(read, answer(200, session));
  checkContract({ ...read, method: 'HEAD' }, answer(200, undefined));
  checkContract(read, answer(404, error('SESSION_NOT_FOUND')));
  checkContract(read, answer(401, error('API_KEY_INVALID'), { 'www-authenticate': 'Bearer' }));
  checkContract({ ...read, method: 'PUT' }, answer(405, error('METHOD_NOT_ALLOWED'), { allow: 'GET' }));
  checkContract({ path: '/nowhere' }, answer(404, error('NOT_FOUND')));
  checkContract({ method: 'OPTIONS', path: '/v1/browser-sessions' }, answer(204, undefined));
});

describe('a violation is reported:', () => {
  const { status: _status, ...incomplete } = session;
  const cases: [string, Call, Answer, RegExp][] = [
    ['an unknown status', read, answer(202, session), /status 202/],
    ['a missing field', read, answer(200, incomplete), /required property 'status'/],
    ['an additional field', read, answer(200, { ...session, secret: 1 }), /additional properties/],
    ['a field of a wrong type', read, answer(200, { ...session, revision: '1' }), /must be integer/],
    [
      'a time without milliseconds',
      read,
      answer(200, { ...session, createdAt: '2026-03-01T09:30:00Z' }),
      /pattern/,
    ],
    [
      'a code that does not belong to the route',
      read,
      answer(404, error('EXPERIENCE_NOT_FOUND')),
      /allowed values/,
    ],
    ['a missing header', read, answer(401, error('API_KEY_INVALID')), /WWW-Authenticate is missing/],
    [
      'a header with a wrong value',
      read,
      answer(200, session, { 'cache-control': 'public' }),
      /Cache-Control/,
    ],
    ['another media type', read, answer(200, session, { 'content-type': 'text/plain' }), /media type/],
    ['a 405 without Allow', { ...read, method: 'PUT' }, answer(405, error('METHOD_NOT_ALLOWED')), /Allow/],
    ['a body where none is defined', { path: '/nowhere' }, answer(200, {}), /status 200/],
    ['no request id', read, { ...answer(200, session), headers: {} }, /X-Request-Id/],
  ];
  test.each(cases)('%s', (_what, call, given, message) => {
    expect(() => checkContract(call, given)).toThrow(message);
  });
});
