import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SessionLaunch, type SessionLaunchOptions } from '../src/index.ts';
import { failure, json, listen, nobody, scriptedServer } from './scripted-server.ts';

const launched = json(
  201,
  { session: { sessionId: 'ses_1' }, launch: { sessionId: 'ses_1', sessionToken: 'eyJ.secret' } },
  { 'X-Request-Id': 'req_1' },
);
const cut = (response: { destroy(): void }) => response.destroy();
const mint = { experienceId: 'exp_a' };

function clientOf(baseUrl: string, options: Partial<SessionLaunchOptions> = {}) {
  const events: object[] = [];
  const log = (event: object) => {
    events.push(event);
  };
  // The shortest retry delays. A Retry-After above this limit would be thrown.
  const client = new SessionLaunch({ baseUrl, apiKey: 'sl_test_key', maxRetryWaitMs: 5, log, ...options });
  return { client, events };
}

describe('a mint is retried with the same key and the same bytes', () => {
  test.each([
    ['the connection breaks', cut, 'NETWORK'],
    ['500', failure(500, 'INTERNAL'), 'INTERNAL'],
    ['503', failure(503, 'UNAVAILABLE'), 'UNAVAILABLE'],
    [
      'a proxy answers 502',
      (response: { writeHead(s: number): { end(t: string): void } }) =>
        response.writeHead(502).end('<h1>Bad gateway</h1>'),
      'HTTP_502',
    ],
    [
      'the first one is still pending',
      failure(409, 'IDEMPOTENCY_IN_PROGRESS', { 'Retry-After': '0' }),
      'IDEMPOTENCY_IN_PROGRESS',
    ],
  ] as const)('when %s', async (_case, trouble, code) => {
    const { url, received } = await scriptedServer(trouble as never, trouble as never, launched);
    const { client, events } = clientOf(url);
    const minted = await client.sessions.mint(mint);
    expect(minted.session.sessionId).toBe('ses_1');
    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set([JSON.stringify(mint)]));
    expect(events).toMatchObject([
      { event: 'retry', operation: 'sessions.mint', attempt: 1, code },
      { event: 'retry', operation: 'sessions.mint', attempt: 2, code },
    ]);
  });

  test('when `log` rejects, and with timeouts that no timer can have', async () => {
    const { url, received } = await scriptedServer(cut as never, launched);
    const options = { timeoutMs: Number.POSITIVE_INFINITY, maxRetryWaitMs: Number.POSITIVE_INFINITY };
    const log = async () => {
      throw new Error('the collector is away');
    };
    const { client } = clientOf(url, { ...options, log });
    expect((await client.sessions.mint(mint, { timeoutMs: 2 ** 40 })).session.sessionId).toBe('ses_1');
    expect(received).toHaveLength(2);
  });

  test('when the response times out, before its head or within its body', async () => {
    const { url, received } = await scriptedServer(
      () => {},
      (response) => response.writeHead(201, { 'Content-Length': '1000' }).write('{"session":'),
      launched,
    );
    // On a loaded machine the successful response may also time out.
    const { client, events } = clientOf(url, { timeoutMs: 1_000, maxRetries: 50 });
    await client.sessions.mint(mint);
    expect(received.length).toBeGreaterThanOrEqual(3);
    expect(events.slice(0, 2)).toMatchObject([{ code: 'TIMEOUT' }, { code: 'TIMEOUT' }]);
  });

  test('and so are reads, ends and catalog requests', async () => {
    const { url, received } = await scriptedServer(cut, json(200, { experiences: [] }));
    const { client } = clientOf(url);
    await client.experiences.list('prj_a');
    expect(received).toHaveLength(2);
    const ending = await scriptedServer(failure(503, 'UNAVAILABLE'), json(200, { status: 'ended' }));
    await clientOf(ending.url).client.sessions.end('ses_1');
    expect(ending.received.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array(2).fill('POST /v1/sessions/ses_1/end'),
    );
  });
});

describe('a mint is not retried after', () => {
  test.each([
    [400, 'INVALID_REQUEST', 'InvalidRequestError'],
    [404, 'EXPERIENCE_NOT_FOUND', 'NotFoundError'],
    [409, 'IDEMPOTENCY_CONFLICT', 'IdempotencyError'],
    [413, 'PAYLOAD_TOO_LARGE', 'InvalidRequestError'],
    [429, 'RATE_LIMITED', 'RateLimitError'],
    [418, 'A_NEW_ONE', 'LaunchError'],
  ])('%i %s', async (status, code, name) => {
    const { url, received } = await scriptedServer(failure(status, code));
    await expect(clientOf(url).client.sessions.mint(mint)).rejects.toMatchObject({
      name,
      code,
      status,
      attempts: 1,
    });
    expect(received).toHaveLength(1);
  });

  test('a Retry-After longer than the caller’s limit', async () => {
    const { url, received } = await scriptedServer(failure(503, 'UNAVAILABLE', { 'Retry-After': '30' }));
    await expect(clientOf(url).client.sessions.mint(mint)).rejects.toMatchObject({
      name: 'ServiceError',
      retryable: true,
      retryAfterMs: 30_000,
    });
    expect(received).toHaveLength(1);
  });

  test('a redirect, which might send the mint elsewhere', async () => {
    const { url, received } = await scriptedServer((response) =>
      response.writeHead(308, { Location: 'https://elsewhere.example/' }).end(),
    );
    await expect(clientOf(url).client.sessions.mint(mint)).rejects.toMatchObject({ code: 'HTTP_308' });
    expect(received).toHaveLength(1);
  });

  test('a response that does not come from the service', async () => {
    const { url } = await scriptedServer((response) => response.end('<h1>It works!</h1>'));
    await expect(clientOf(url).client.sessions.mint(mint)).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'INVALID_ANSWER',
      message: expect.stringContaining('baseUrl'),
    });
  });

  test('the number of attempts set by maxRetries of the client or the call', async () => {
    const { url, received } = await scriptedServer(failure(500, 'INTERNAL'));
    const { client } = clientOf(url, { maxRetries: 1 });
    await expect(client.sessions.mint(mint)).rejects.toMatchObject({ attempts: 2 });
    await expect(client.sessions.mint(mint, { maxRetries: 0 })).rejects.toMatchObject({ attempts: 1 });
    expect(received).toHaveLength(3);
  });
});

test('a retry waits for the Retry-After', async () => {
  const { url } = await scriptedServer(failure(503, 'UNAVAILABLE', { 'Retry-After': '1' }), launched);
  const { client, events } = clientOf(url, { maxRetryWaitMs: 5_000 });
  await client.sessions.mint(mint);
  const [{ waitMs }] = events as [{ waitMs: number }];
  expect(waitMs).toBeGreaterThanOrEqual(1_000);
  expect(waitMs).toBeLessThanOrEqual(4_000);
});

test('the first retry delay is random between half a second and one second', async () => {
  const { url } = await scriptedServer(failure(500, 'INTERNAL'));
  const firstWait = async () => {
    const controller = new AbortController();
    let waitMs = 0;
    const log = (event: object) => {
      ({ waitMs } = event as { waitMs: number });
      controller.abort();
    };
    const { client } = clientOf(url, { maxRetryWaitMs: 5_000, log });
    await client.sessions.mint(mint, { signal: controller.signal }).catch(() => undefined);
    return waitMs;
  };
  const waits = await Promise.all(Array.from({ length: 20 }, firstWait));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
  expect(new Set(waits).size).toBeGreaterThan(1);
});

test('a stalled body is aborted even if the garbage collector runs', async () => {
  const { url } = await scriptedServer((response) => {
    response.writeHead(201, { 'Content-Length': '1000' }).write('{');
  });
  const entry = new URL('../dist/index.js', import.meta.url).href;
  const program = `
    import { SessionLaunch } from '${entry}';
    const client = new SessionLaunch({ baseUrl: '${url}', apiKey: 'sl_test_k', timeoutMs: 1000, maxRetries: 0 });
    setInterval(gc, 50).unref();
    const error = await client.sessions.mint({ experienceId: 'exp_a' }).catch((reason) => reason);
    console.log(error.code);`;
  const flags = ['--expose-gc', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  expect(stdout).toBe('TIMEOUT\n');
});

test('an unreachable service is a ConnectionError that contains the cause', async () => {
  const { client, events } = clientOf(await nobody());
  await expect(client.sessions.mint(mint)).rejects.toMatchObject({
    name: 'ConnectionError',
    code: 'NETWORK',
    message: expect.stringContaining('ECONNREFUSED'),
    attempts: 3,
    retryable: true,
  });
  expect(events).toHaveLength(2);
});

describe('an AbortSignal', () => {
  test('that is already aborted sends nothing', async () => {
    const { url, received } = await scriptedServer(launched);
    const minting = clientOf(url).client.sessions.mint(mint, { signal: AbortSignal.abort('enough') });
    await expect(minting).rejects.toMatchObject({
      name: 'AbortedError',
      code: 'ABORTED',
      cause: 'enough',
      attempts: 0,
    });
    expect(received).toHaveLength(0);
  });

  test('aborts while the response is pending, and closes the connection', async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> = Promise.resolve();
    const url = await listen((request) => {
      closed = once(request.socket, 'close');
      controller.abort();
    });
    const minting = clientOf(url).client.sessions.mint(mint, { signal: controller.signal });
    await expect(minting).rejects.toMatchObject({ name: 'AbortedError', attempts: 1 });
    await closed;
  });

  test('aborts while a body is stalled', async () => {
    const controller = new AbortController();
    const { url } = await scriptedServer((response) => {
      response.writeHead(201, { 'Content-Length': '1000' }).write('{', () => controller.abort());
    });
    const minting = clientOf(url).client.sessions.mint(mint, { signal: controller.signal });
    await expect(minting).rejects.toMatchObject({ name: 'AbortedError' });
  });

  test('aborts between two attempts', async () => {
    const controller = new AbortController();
    const { url, received } = await scriptedServer(failure(500, 'INTERNAL'));
    const log = () => controller.abort();
    const { client } = clientOf(url, { maxRetryWaitMs: 5_000, log });
    await expect(client.sessions.mint(mint, { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortedError',
      attempts: 1,
    });
    expect(received).toHaveLength(1);
  });
});

test('an exception in the log callback fails no call', async () => {
  const { url } = await scriptedServer(failure(500, 'INTERNAL'), launched);
  const { client } = clientOf(url, {
    log: () => {
      throw new Error('the disk is full');
    },
  });
  expect((await client.sessions.mint(mint)).session.sessionId).toBe('ses_1');
});
