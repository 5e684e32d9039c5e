import { checkContract } from '@session-launch/testing/contract.ts';
import type { Answer, Call } from '@session-launch/testing/http.ts';
import { logLines } from '@session-launch/testing/process.ts';
import { openConnection } from '@session-launch/testing/raw-http.ts';
import { mintFromServer, pageOrigin } from '@session-launch/testing/world.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { effort } from '../harness/effort.ts';
import { almost, casesWanted, headerValue, hostileJson, hostileText, Tally } from '../harness/generate.ts';
import { useTestedService } from './victim.ts';

const tested = useTestedService({ engine: 'embedded', env: { LOG_LEVEL: 'info' } });
const tally = new Tally();
const answered: { call: Call; answer: Answer }[] = [];

/** Sends a request and validates the response against the contract. */
async function send(call: Call): Promise<Answer> {
  const answer = await tested.service.call(call);
  expect(answer.status, answer.text).toBeLessThan(500);
  checkContract(call, answer);
  answered.push({ call, answer });
  return answer;
}

let fields: string;
beforeAll(async () => {
  fields = await fieldsOfAMint();
});

/** The field names of a normal mint at every level: prototype pollution would add to them. */
async function fieldsOfAMint(): Promise<string> {
  const answer = await mintFromServer(tested.service, tested.world.key, {
    experienceId: tested.world.experienceId,
  });
  const names: string[] = [];
  JSON.stringify(answer.json, (name, value) => {
    names.push(name);
    return value;
  });
  return names.join();
}

const segment = fc.oneof(hostileText, almost('ses_', 'prj_', 'exp_', 'a', '.', '..', '%', "'", '"', '-'));
/** Text as a path segment, percent-encoded in most cases, otherwise raw if HTTP allows it. */
const inPath = fc
  .tuple(segment, fc.boolean())
  .map(([text, bare]) =>
    bare ? text.replace(/[^\x21-\x7e]|[?#]/g, '') : encodeURIComponent(text.toWellFormed()),
  );

describe('any input gets a response that the contract defines, in', () => {
  test('addresses', async () => {
    const address = fc.oneof(
      inPath.map((text) => `/v1/sessions/${text}`),
      inPath.map((text) => `/v1/sessions/${text}/end`),
      inPath.map((text) => `/v1/projects/${text}/experiences`),
      inPath.map((text) => `/v1/projects/${tested.world.projectId}/experiences/${text}`),
      inPath.map((text) => `/v1/${text}`),
      inPath.map((text) => `/avatars/${text}`),
      inPath.map((text) => `/nowhere/${text}`),
      inPath.map((text) => `/healthz?${text}`),
    );
    await tally.holds(
      1_500,
      fc.tuple(address, fc.constantFrom('GET', 'POST', 'DELETE')),
      async ([path, method]) => {
        fc.pre(URL.canParse(path, tested.service.url) && path.startsWith('/') && !path.startsWith('//'));
        await send({ method, path, headers: { Authorization: `Bearer ${tested.world.key}` } });
      },
    );
  });

  test('headers', async () => {
    const text = fc
      .oneof(hostileText, almost('Bearer ', 'en', ',', ';q=', '0.5', '"', 'W/', '*', '10.0.0.1', '='))
      .map(headerValue);
    const headers = fc.record({
      Authorization: fc.oneof(text, fc.constant(`Bearer ${tested.world.key}`)),
      Origin: fc.oneof(text, fc.constant(pageOrigin)),
      'Content-Type': fc.oneof(text, fc.constant('application/json')),
      'Idempotency-Key': text,
      'Accept-Language': text,
      'If-None-Match': text,
      'X-Forwarded-For': text,
    });
    const target = fc.constantFrom<[string, string]>(
      ['POST', '/v1/sessions'],
      ['POST', '/v1/browser-sessions'],
      ['POST', '/v1/public-sessions'],
      ['OPTIONS', '/v1/browser-sessions'],
      ['OPTIONS', '/v1/public-sessions'],
      ['GET', `/v1/projects/${tested.world.projectId}/experiences`],
    );
    await tally.holds(1_500, fc.tuple(target, headers), async ([[method, path], sent]) => {
      const body =
        method === 'POST' ? { body: JSON.stringify({ experienceId: tested.world.experienceId }) } : {};
      await send({ method, path, headers: sent, ...body });
    });
  });

  test('bodies', async () => {
    const own = fc.constantFrom(
      'locale',
      'startButton',
      'userId',
      'integration',
      'speechOnly',
      '__proto__',
      'constructor',
    );
    const spoilt = fc.tuple(own, hostileJson).map(([name, value]) => {
      const rest = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
      return `{"experienceId":${JSON.stringify(tested.world.experienceId)},${rest}}`;
    });
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    const body = fc.oneof(
      { weight: 4, arbitrary: spoilt },
      { weight: 1, arbitrary: hostileJson.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: hostileText },
      { weight: 1, arbitrary: bytes },
    );
    const endpoint = fc.constantFrom('sessions', 'browser-sessions', 'public-sessions');
    await tally.holds(1_500, fc.tuple(endpoint, body, fc.boolean()), async ([name, content, chunked]) => {
      await send({
        method: 'POST',
        path: `/v1/${name}`,
        headers: {
          Authorization: `Bearer ${tested.world.key}`,
          Origin: pageOrigin,
          'Content-Type': 'application/json',
        },
        body: content,
        chunked,
      });
    });
  });

  test('the run has the required number of cases, and sent each request once', () => {
    expect(tally.cases).toBeGreaterThanOrEqual(casesWanted.requests);
    expect(new Set(answered.map(({ answer }) => answer.headers['x-request-id'])).size).toBe(answered.length);
    expect(answered.length).toBeGreaterThan(casesWanted.requests * 0.95);
  });
});

test('random bytes do not crash the service', async () => {
  for (const bytes of fc.sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), effort(100, 300))) {
    const { socket, closed } = openConnection(tested.service.url);
    socket.end(Buffer.from(bytes));
    await closed;
  }
  expect((await tested.service.call({ path: '/healthz' })).status).toBe(200);
});

test('the service still mints with the same fields', async () => {
  expect(await fieldsOfAMint()).toBe(fields);
});

describe('the log', () => {
  afterAll(() => tested.service.kill('SIGKILL'));

  test('has exactly one line for each request, and no line was forged', async () => {
    await tested.service.kill('SIGTERM');
    const lines = logLines(tested.service);
    const byRequest = new Map<string, number>();
    for (const { msg, reqId } of lines) {
      if (msg === 'answered') byRequest.set(reqId, (byRequest.get(reqId) ?? 0) + 1);
    }
    for (const { call, answer } of answered)
      expect(byRequest.get(answer.headers['x-request-id'] as string), call.path).toBe(1);
    expect(new Set(lines.map(({ level }) => level))).toEqual(new Set(['info']));
    for (const line of lines.filter(({ msg }) => msg === 'answered')) {
      expect(Object.keys(line)).toEqual(['level', 'time', 'reqId', 'method', 'route', 'status', 'ms', 'msg']);
    }
  });

  test('contains no control or invisible characters', () => {
    expect(tested.service.stderr().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });
});
