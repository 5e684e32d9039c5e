import { inspect } from 'node:util';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { createRelay, type Minted, SessionLaunch } from '../src/index.ts';
import { failure, json, nobody, scriptedServer } from './scripted-server.ts';

const service = deployedService();
const everything = { depth: 20, showHidden: true };
let world: World;

beforeAll(async () => {
  world = await createWorld(service);
});

describe('the token of a launch', () => {
  let minted: Minted;

  beforeAll(async () => {
    const client = new SessionLaunch({ baseUrl: service.url, apiKey: world.key });
    minted = await client.sessions.mint({ experienceId: world.experienceId });
  });

  test('is hidden when a launch is logged, and all other fields are shown', () => {
    for (const logged of [minted, minted.launch, [minted], { deep: { launch: minted.launch } }]) {
      const text = inspect(logged, { depth: 20 });
      expect(text).not.toContain(minted.launch.sessionToken);
      expect(text).toContain("sessionToken: '[hidden]'");
      expect(text).toContain(minted.session.sessionId);
    }
  });

  test('is kept in JSON, which relays send, and in copies', () => {
    expect(JSON.parse(JSON.stringify(minted)).launch.sessionToken).toBe(minted.launch.sessionToken);
    expect(structuredClone(minted)).toEqual(minted);
    expect({ ...minted.launch }.sessionToken).toBe(minted.launch.sessionToken);
  });
});

/** Returns an error envelope of the service whose every field repeats the request, as a debugging proxy might. */
function quoting(status: number): Parameters<typeof scriptedServer>[0] {
  return (response, { headers }) => {
    const { authorization = '' } = headers;
    const quoted = JSON.stringify(headers);
    const error = {
      code: 'INVALID_REQUEST',
      message: `got ${quoted}`,
      details: [{ path: authorization, message: quoted, [authorization]: { headers } }],
      requestId: authorization,
      headers,
    };
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'X-Request-Id': authorization,
      'Retry-After': '0',
      ETag: authorization,
    });
    response.end(JSON.stringify({ error, experiences: status }));
  };
}

describe('the API key does not appear in', () => {
  test('an inspected client', () => {
    const client = new SessionLaunch({ baseUrl: service.url, apiKey: world.key });
    expect(inspect(client, everything)).not.toContain(world.key);
    expect(JSON.stringify(client)).not.toContain(world.key);
  });

  test('the error about a key that cannot be sent in a header', () => {
    const broken = `${world.key}\u0000\nX-Evil: 1`;
    const make = () => new SessionLaunch({ baseUrl: service.url, apiKey: broken });
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(world.key);
  });

  test.each([
    ['a service that is down', async () => nobody()],
    ['a service that fails', async () => (await scriptedServer(failure(500, 'INTERNAL'))).url],
    [
      'a service that echoes the request',
      async () =>
        (
          await scriptedServer((response, { headers }) =>
            response.writeHead(503).end(JSON.stringify(headers)),
          )
        ).url,
    ],
  ])('errors, events and responses of a relay in front of %s', async (_case, address) => {
    expect((await everythingSaid(await address())).events).not.toEqual([]);
  });

  test.each([200, 400, 404, 409, 429, 503])(
    'errors, events and responses of a relay in front of a service that quotes the request with status %d',
    async (status) => {
      await everythingSaid((await scriptedServer(quoting(status))).url);
    },
  );

  async function everythingSaid(baseUrl: string): Promise<{ events: object[] }> {
    const events: object[] = [];
    const log = (event: object) => {
      events.push(event);
    };
    const client = new SessionLaunch({ baseUrl, apiKey: world.key, maxRetryWaitMs: 1, log });
    const error = await client.sessions.mint({ experienceId: 'exp_a' }).catch((reason) => reason);
    expect(error).toBeInstanceOf(Error);
    const relay = createRelay(client, { authorize: () => ({ userId: 'u' }), projectId: 'prj_a' });
    const sameOrigin = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
    const body = '{"experienceId":"exp_a"}';
    const answers = [
      await relay.mint(
        new Request('https://app.example/mint', { method: 'POST', headers: sameOrigin, body }),
      ),
      await relay.end(
        new Request('https://app.example/end', { method: 'POST', headers: sameOrigin, body: 'e.y.J' }),
      ),
      await relay.catalog(new Request('https://app.example/catalog', { headers: sameOrigin })),
    ];
    expect(answers.map(({ status }) => status)).not.toContain(200);
    const texts = await Promise.all(
      answers.map(async (one) => inspect([...one.headers]) + (await one.text())),
    );
    const seen = [inspect(error, everything), String(error.stack), inspect(events, everything), ...texts];
    for (const text of seen) expect(text).not.toContain(world.key);
    return { events };
  }

  test('errors thrown by a custom fetch', async () => {
    const throwing: typeof fetch = async (_url, init) => {
      throw Object.assign(new Error(`cannot send ${JSON.stringify(init?.headers)}`), {
        config: init,
        cause: new Error(JSON.stringify(init)),
      });
    };
    const client = new SessionLaunch({
      baseUrl: service.url,
      apiKey: world.key,
      fetch: throwing,
      maxRetries: 0,
    });
    const error = await client.sessions.mint({ experienceId: 'exp_a' }).catch((reason) => reason);
    expect(error).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('[hidden]') });
    expect(inspect(error, everything)).not.toContain(world.key);
  });
});

describe('a service error passed on by a relay', () => {
  const relayed = async (reply: Parameters<typeof scriptedServer>[0]) => {
    const { url: baseUrl } = await scriptedServer(reply);
    const client = new SessionLaunch({ baseUrl, apiKey: world.key, maxRetryWaitMs: 1, log: () => {} });
    const relay = createRelay(client, { authorize: () => ({ userId: 'u' }) });
    const answer = await relay.mint(
      new Request('https://app.example/mint', {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
        body: '{"experienceId":"exp_a"}',
      }),
    );
    const { error } = (await answer.json()) as { error: Record<string, unknown> };
    return { status: answer.status, id: answer.headers.get('X-Request-Id'), error };
  };

  test('keeps code, message, details and request id, and nothing else', async () => {
    const error = {
      code: 'INVALID_REQUEST',
      message: 'It is not valid.',
      details: [{ path: 'locale', message: 'is too long' }],
      requestId: 'req_01k',
    };
    expect(await relayed(json(400, { error: { ...error, debug: 'internal' }, more: 1 }))).toEqual({
      status: 400,
      id: 'req_01k',
      error,
    });
  });

  test('hides bearer tokens of any kind', async () => {
    const { error } = await relayed(
      json(400, { error: { code: 'INVALID_REQUEST', message: 'seen: bearer eyJhbGciOi.eyJzdWIi.c2ln' } }),
    );
    expect(error.message).toBe('seen: Bearer [hidden]');
  });

  test.each([
    ['an invalid code', { code: 'not a code', message: 'secret' }],
    ['a code that is not a string', { code: 7, message: 'secret' }],
    ['no code', { message: 'secret' }],
  ])('becomes UNAVAILABLE if the envelope has %s', async (_case, error) => {
    expect(await relayed(json(400, { error }))).toMatchObject({
      status: 502,
      error: { code: 'UNAVAILABLE', message: expect.not.stringContaining('secret') },
    });
  });

  test('gets a new request id if the service’s cannot be sent in a header', async () => {
    const { id, error } = await relayed(
      json(400, { error: { code: 'INVALID_REQUEST', message: { text: 'no' }, requestId: 'req_\n\u2028' } }),
    );
    expect(id).toMatch(/^req_\w+$/);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.any(String), requestId: id });
  });
});
