import { beforeEach, describe, expect, test } from 'vitest';
import type { LiveExperience } from '../src/core/experience.ts';
import { ExperienceError } from '../src/core/experience-error.ts';
import type { ExperienceOptions } from '../src/types.ts';
import {
  createFake,
  FakeBrowser,
  FakeTransport,
  heard,
  manifest,
  ok,
  pageSource,
  refused,
  settled,
  startFake,
} from './fake-environment.ts';

let browser: FakeBrowser;
let runtime: FakeTransport;

beforeEach(() => {
  browser = new FakeBrowser();
  runtime = new FakeTransport();
});

const open = (options?: Partial<ExperienceOptions>) => createFake(browser, runtime, options);
const live = (options?: Partial<ExperienceOptions>) => startFake(open(options), browser);

const keyOf = (at: number) => new Headers(browser.requests[at]!.init.headers).get('idempotency-key');

describe('a start', () => {
  test('mints, connects and becomes live, in the order of the states', async () => {
    const experience = open();
    const seen = heard(experience, 'stateChange');
    const started = experience.start();
    await browser.pass(0);
    expect(browser.requests).toHaveLength(1);
    const { url, init } = browser.requests[0]!;
    expect(url).toBe('https://launch.example.com/v1/browser-sessions');
    expect(init).toMatchObject({ method: 'POST', credentials: 'omit' });
    expect(JSON.parse(String(init.body))).toMatchObject({ experienceId: 'exp_tea' });
    browser.requests[0]!.answer(ok({ session: {}, launch: manifest() }));
    await started;
    expect(seen).toEqual(['minting', 'connecting', 'live']);
    expect(experience.session).toEqual({
      sessionId: 'ses_1',
      locale: 'en',
      livemode: true,
      capabilities: ['speech-output', 'speech-input', 'avatar'],
      characters: [{ characterId: 'sayo', name: 'Sayo' }],
    });
    expect(JSON.stringify(experience.session)).not.toContain('signature');
  });

  test('called twice is one mint and one promise', async () => {
    const experience = open();
    const [first, second] = [experience.start(), experience.start()];
    expect(second).toBe(first);
    await browser.pass(0);
    browser.requests[0]!.answer(ok(manifest(), 200));
    await first;
    expect(experience.start()).toBe(first);
    await browser.pass(60_000);
    expect(browser.requests).toHaveLength(1);
  });

  test('that is ended immediately sends nothing', async () => {
    const experience = open();
    const started = experience.start();
    await experience.end();
    await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    await browser.pass(60_000);
    expect(browser.requests).toEqual([]);
    expect(experience.state).toBe('ended');
  });

  test('that is ended while the mint is pending ends the created session', async () => {
    const experience = open();
    const ended = heard(experience, 'ended');
    const started = experience.start();
    await browser.pass(0);
    await experience.end();
    await expect(Promise.race([started, settled()])).resolves.toBeUndefined();
    expect(ended).toEqual([{ reason: 'user' }]);
    expect(browser.left).toEqual([]);
    browser.requests[0]!.answer(ok({ session: {}, launch: manifest() }));
    await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    expect(browser.left).toEqual([
      { url: manifest().links.leave, token: manifest().sessionToken, how: 'request' },
    ]);
    expect(runtime.opened).toEqual([]);
  });

  test('after an end is a new attempt, with a new key and no old state', async () => {
    const experience = await live();
    const old = runtime.sink;
    old.message({ id: '1', role: 'character', text: 'Hello.', status: 'final' });
    expect(experience.messages).toHaveLength(1);
    await experience.end();
    const started = experience.start();
    expect(experience.messages).toEqual([]);
    await browser.pass(0);
    browser.requests[1]!.answer(ok({ session: {}, launch: manifest({ sessionId: 'ses_2' }) }));
    await started;
    expect(keyOf(1)).not.toBe(keyOf(0));
    old.message({ id: '2', role: 'character', text: 'Too late.', status: 'final' });
    old.mode('speaking');
    old.closed('error');
    expect(experience).toMatchObject({ state: 'live', mode: null, messages: [] });
  });

  test('on a server is rejected without a request', async () => {
    Object.assign(browser.env, { isBrowser: false });
    await expect(open().start()).rejects.toMatchObject({ code: 'NOT_A_BROWSER' });
  });

  test('is aborted by the signal of the page', async () => {
    const controller = new AbortController();
    const experience = await live({ ...pageSource, signal: controller.signal });
    const ended = heard(experience, 'ended');
    controller.abort();
    await settled();
    expect(ended).toEqual([{ reason: 'aborted' }]);
    expect(runtime.closed).toEqual(['aborted']);
    await expect(experience.start()).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('retries', () => {
  test('a lost response is requested again with the same key and the same bytes', async () => {
    const experience = open();
    const started = experience.start();
    await browser.pass(0);
    browser.requests[0]!.answer(new TypeError('reset'));
    await browser.pass(1000);
    browser.requests[1]!.answer(refused(503, 'UNAVAILABLE', { 'Retry-After': '1' }));
    await browser.pass(1000);
    browser.requests[2]!.answer(refused(409, 'IDEMPOTENCY_IN_PROGRESS', { 'Retry-After': '1' }));
    await browser.pass(1000);
    browser.requests[3]!.answer(ok({ session: {}, launch: manifest() }));
    await started;
    expect(new Set([0, 1, 2, 3].map(keyOf)).size).toBe(1);
    expect(new Set(browser.requests.map(({ init }) => init.body)).size).toBe(1);
  });

  test('a mint without a response for ten seconds is retried', async () => {
    const experience = open();
    const started = experience.start();
    started.catch(() => {});
    await browser.pass(9_999);
    expect(browser.requests).toHaveLength(1);
    await browser.pass(60_000);
    expect(browser.requests).toHaveLength(3);
    await expect(started).rejects.toMatchObject({ code: 'TIMEOUT', retryable: true });
    expect(experience.state).toBe('failed');
    expect(browser.timers).toBe(0);
  });

  test.each([
    ['network', () => new TypeError('refused'), 3, 'NETWORK'],
    ['500', () => refused(500, 'INTERNAL'), 3, 'INTERNAL'],
    [
      'in progress',
      () => refused(409, 'IDEMPOTENCY_IN_PROGRESS', { 'Retry-After': '1' }),
      6,
      'IDEMPOTENCY_IN_PROGRESS',
    ],
    ['a short 429', () => refused(429, 'RATE_LIMITED', { 'Retry-After': '5' }), 2, 'RATE_LIMITED'],
    ['a long 429', () => refused(429, 'RATE_LIMITED', { 'Retry-After': '6' }), 1, 'RATE_LIMITED'],
    ['403', () => refused(403, 'ORIGIN_NOT_ALLOWED'), 1, 'ORIGIN_NOT_ALLOWED'],
    ['conflict', () => refused(409, 'IDEMPOTENCY_CONFLICT'), 1, 'IDEMPOTENCY_CONFLICT'],
  ])('%s: sends this number of requests and no more', async (_name, answer, requests, code) => {
    const experience = open();
    const started = experience.start();
    started.catch(() => {});
    for (let i = 0; i < 10; i++) {
      await browser.pass(6000);
      browser.requests.at(-1)!.answer(answer());
    }
    await browser.pass(60_000);
    expect(browser.requests).toHaveLength(requests);
    await expect(started).rejects.toMatchObject({ code });
    expect(experience.error).toMatchObject({ code, fatal: true });
  });

  test('the public endpoint is called once: without a key a lost response may have minted', async () => {
    const experience = open({ ...pageSource, door: 'public' });
    const started = experience.start();
    started.catch(() => {});
    await browser.pass(0);
    expect(browser.requests[0]!.url).toBe('https://launch.example.com/v1/public-sessions');
    expect(keyOf(0)).toBe(null);
    browser.requests[0]!.answer(new TypeError('opaque'));
    await browser.pass(60_000);
    expect(browser.requests).toHaveLength(1);
    await expect(started).rejects.toMatchObject({
      code: 'NETWORK',
      hint: expect.stringContaining('allowlist'),
    });
  });

  test('an error contains the time to wait, and a later successful start clears it', async () => {
    const experience = open();
    experience.start().catch(() => {});
    await browser.pass(0);
    browser.requests[0]!.answer(refused(429, 'QUOTA_EXCEEDED', { 'Retry-After': '120' }));
    await browser.pass(0);
    expect(experience.error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      retryAfterMs: 120_000,
      requestId: 'req_1',
    });
    const started = experience.start();
    await browser.pass(0);
    browser.requests[1]!.answer(ok({ session: {}, launch: manifest() }));
    await started;
    expect(experience.error).toBe(null);
  });

  test('a 403 logs advice for the developer', async () => {
    const experience = open();
    experience.start().catch(() => {});
    await browser.pass(0);
    browser.requests[0]!.answer(refused(403, 'ORIGIN_NOT_ALLOWED'));
    await browser.pass(0);
    expect(browser.warnings.join()).toMatch(/allowedOrigins.*req_1/);
  });
});

describe('an expired launch', () => {
  const short = () => manifest({ sessionToken: `h.${btoa('{"iat":0,"exp":10}')}.s` });

  test('is minted once more, with another key', async () => {
    const experience = open();
    const started = experience.start();
    await browser.pass(0);
    runtime.refuseWith = [new ExperienceError('SESSION_EXPIRED', 'old')];
    browser.requests[0]!.answer(ok({ session: {}, launch: manifest() }));
    await browser.pass(0);
    browser.requests[1]!.answer(ok({ session: {}, launch: manifest({ sessionId: 'ses_2' }) }));
    await started;
    expect(experience.session?.sessionId).toBe('ses_2');
    expect(keyOf(1)).not.toBe(keyOf(0));
    expect(browser.microphones).toBe(1);
  });

  test('that expires again fails the attempt', async () => {
    const experience = open();
    const started = experience.start();
    started.catch(() => {});
    await browser.pass(0);
    runtime.refuseWith = [1, 2].map(() => new ExperienceError('SESSION_USED', 'used'));
    for (const at of [0, 1]) {
      browser.requests[at]!.answer(ok({ session: {}, launch: manifest() }));
      await browser.pass(0);
    }
    await expect(started).rejects.toMatchObject({ code: 'SESSION_USED' });
    expect(browser.requests).toHaveLength(2);
  });

  const used = () => new ExperienceError('SESSION_USED', 'used', { details: { closeCode: 4409 } });

  test('that was minted and is used is replaced, and its session is not ended', async () => {
    const started = open().start();
    await browser.pass(0);
    runtime.refuseWith = [used()];
    browser.requests[0]!.answer(ok({ session: {}, launch: manifest() }));
    await browser.pass(0);
    browser.requests[1]!.answer(ok({ session: {}, launch: manifest({ sessionId: 'ses_2' }) }));
    await started;
    expect(browser.left).toEqual([]);
  });

  test('that was given and is used by another page does not end the session there', async () => {
    const experience = open({ launch: manifest() });
    runtime.refuseWith = [used()];
    await expect(experience.start()).rejects.toMatchObject({ code: 'SESSION_USED' });
    await experience.end();
    expect([experience.state, browser.left]).toEqual(['failed', []]);
    expect(experience.manifest).toBeDefined();
  });

  test('that was given is not replaced, measured by the monotonic clock', async () => {
    const experience = open({ launch: short() });
    await browser.pass(8001);
    await expect(experience.start()).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
    expect(runtime.opened).toEqual([]);
  });

  test('that was given is not replaced, judged by its expiresAt', async () => {
    const experience = open({ launch: manifest({ expiresAt: new Date(Date.now() - 1).toISOString() }) });
    await expect(experience.start()).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
  });

  test('that was given starts before its expiry, once', async () => {
    const experience = open({ launch: { session: {}, launch: short() } });
    await browser.pass(7999);
    await experience.start();
    await experience.end();
    await expect(experience.start()).rejects.toMatchObject({ code: 'SESSION_USED' });
    expect(browser.requests).toEqual([]);
  });
});

describe('a runtime that is full', () => {
  const full = () =>
    new ExperienceError('CONNECT_FAILED', 'The service is busy.', {
      retryable: true,
      details: { closeCode: 1013 },
    });

  test('fails the attempt without another mint, and the next start mints with a new key', async () => {
    const experience = open();
    const started = experience.start();
    started.catch(() => {});
    await browser.pass(0);
    runtime.refuseWith = [full()];
    browser.requests[0]!.answer(ok({ session: {}, launch: manifest() }));
    await expect(started).rejects.toMatchObject({ code: 'CONNECT_FAILED', retryable: true });
    expect([experience.state, browser.requests.length, browser.left.length]).toEqual(['failed', 1, 1]);
    experience.start().catch(() => {});
    await browser.pass(0);
    const keys = browser.requests.map(({ init }) => new Headers(init.headers).get('idempotency-key'));
    expect(new Set(keys).size).toBe(2);
  });

  test('does not consume a given launch: a later start connects with it', async () => {
    const experience = open({ launch: manifest() });
    runtime.refuseWith = [full()];
    await expect(experience.start()).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    expect(browser.left).toEqual([]);
    await experience.start();
    expect(experience.state).toBe('live');
  });
});

describe('a given launch', () => {
  test('provides its chrome before the start', () => {
    const player = { startButton: { label: 'Meet Sayo' } };
    expect(open({ launch: manifest({ player }) }).manifest?.player).toEqual(player);
  });

  test('that is invalid is rejected by start(), not when the page is rendered', async () => {
    const experience = open({ launch: {} as never });
    expect(experience.manifest).toBeUndefined();
    await expect(experience.start()).rejects.toMatchObject({ code: 'INVALID_MANIFEST' });
    expect(experience.state).toBe('failed');
  });
});

describe('unsupported cases', () => {
  test('an unknown transport is reported before the microphone is requested, and the session is ended', async () => {
    const experience = open();
    const started = experience.start();
    started.catch(() => {});
    await browser.pass(0);
    browser.requests[0]!.answer(ok(manifest({ transport: { type: 'pigeon', url: 'x' } })));
    await expect(started).rejects.toMatchObject({
      code: 'UNSUPPORTED_TRANSPORT',
      message: expect.stringMatching(/"pigeon".*websocket, fake/),
    });
    expect(browser.microphones).toBe(0);
    expect(browser.left).toHaveLength(1);
  });

  test.each([
    ['UNSUPPORTED_SCHEMA', { ...manifest(), schemaVersion: 2 }],
    ['INVALID_MANIFEST', { launch: { schemaVersion: 1 } }],
    ['INVALID_MANIFEST', 'a page'],
  ])('%s', async (code, body) => {
    const started = open().start();
    started.catch(() => {});
    await browser.pass(0);
    browser.requests[0]!.answer(ok(body));
    await expect(started).rejects.toMatchObject({ code });
  });
});

describe('a live session', () => {
  test('without a microphone continues, and reports the reason', async () => {
    const experience = await live();
    await settled();
    expect(experience).toMatchObject({ state: 'live', mic: { status: 'denied' } });
  });

  test.each([
    ['manual', 0],
    ['off', 0],
  ] as const)('%s does not request the microphone', async (speechInputMode, asked) => {
    const experience = open();
    const started = experience.start();
    await browser.pass(0);
    browser.requests[0]!.answer(ok(manifest({ speechInputMode })));
    await started;
    expect(browser.microphones).toBe(asked);
  });

  test('releases the microphone if the runtime cannot transcribe', async () => {
    const experience = await live();
    runtime.sink.event({ type: 'ready', engines: { hearing: { kind: 'none' } } });
    expect(experience.mic.status).toBe('off');
  });

  test('updates messages by id, and emits modes as strings', async () => {
    const experience = await live();
    const modes = heard(experience, 'modeChange');
    const messages = heard(experience, 'message');
    runtime.sink.mode('thinking');
    runtime.sink.mode('thinking');
    runtime.sink.message({ id: '1', role: 'character', text: 'Good', status: 'partial' });
    runtime.sink.message({ id: '1', role: 'character', text: 'Good day.', status: 'final' });
    expect(modes).toEqual(['thinking']);
    expect(messages.map(({ status }) => status)).toEqual(['partial', 'final']);
    expect(experience.messages).toEqual([{ id: '1', role: 'character', text: 'Good day.', status: 'final' }]);
  });

  test('keeps engines and suggestions for a player that is attached later', async () => {
    const experience = await live();
    const engines = { hearing: { kind: 'server' } };
    runtime.sink.event({ type: 'ready', engines });
    const items = [{ text: 'When do you open?', locale: 'en' }];
    runtime.sink.event({ type: 'suggestions', items });
    expect(experience).toMatchObject({ engines, suggestions: items });
    runtime.sink.message({ id: '1', role: 'user', text: 'When', status: 'partial' });
    expect(experience.suggestions).toEqual(items);
    runtime.sink.message({ id: '1', role: 'user', text: 'When do you open?', status: 'final' });
    expect(experience.suggestions).toEqual([]);
    await experience.end();
    experience.start().catch(() => {});
    expect(experience.engines).toBe(undefined);
    await experience.end();
  });

  test('shows typed text at once, and sends it when connected', async () => {
    const experience = await live();
    runtime.sink.dropped();
    expect(experience.state).toBe('reconnecting');
    experience.sendText('  Hello  ');
    expect(experience.messages).toMatchObject([{ role: 'user', text: 'Hello', status: 'final' }]);
    expect(runtime.said).toEqual([]);
    runtime.sink.resumed();
    expect(experience.state).toBe('live');
    expect(runtime.said).toEqual(['Hello']);
    expect(() => experience.sendText('x'.repeat(4001))).toThrow(TypeError);
  });

  test('that the runtime ends is ended, and one that is lost is failed', async () => {
    const first = await live();
    const ended = heard(first, 'ended');
    runtime.sink.closed('runtime', 1000);
    expect(first.state).toBe('ended');
    expect(ended).toEqual([{ reason: 'runtime' }]);
    const second = await live();
    const lost = heard(second, 'ended');
    runtime.sink.closed('error');
    expect(second).toMatchObject({ state: 'failed', error: { code: 'CONNECTION_LOST', retryable: true } });
    expect(lost).toMatchObject([{ reason: 'connection-lost', error: { code: 'CONNECTION_LOST' } }]);
  });

  test('whose runtime restarts starts again, unless it is ended by the user', async () => {
    const experience = await live();
    const restart = () => {
      runtime.sink.event({ type: 'ended', reason: 'server_shutdown', seconds: 3 });
      runtime.sink.closed('runtime', 1001);
    };
    restart();
    expect(experience.state).toBe('ended');
    await browser.pass(2000);
    expect(browser.requests).toHaveLength(2);
    browser.requests[1]!.answer(ok({ session: {}, launch: manifest() }));
    await browser.pass(0);
    expect(experience.state).toBe('live');
    restart();
    await experience.end();
    await browser.pass(60_000);
    expect(browser.requests).toHaveLength(2);
  });

  describe('whose runtime takes long to restart', () => {
    const restart = () => {
      runtime.sink.event({ type: 'ended', reason: 'server_shutdown', seconds: 3 });
      runtime.sink.closed('runtime', 1001);
    };
    /** Makes all requests to the service fail for `ms` milliseconds. */
    async function down(ms: number): Promise<void> {
      const until = browser.now + ms;
      for (let answered = browser.requests.length; browser.now < until; ) {
        await browser.pass(100);
        for (; answered < browser.requests.length; answered++)
          browser.requests[answered]!.answer(new TypeError('refused'));
      }
    }

    test('starts again once it is available, with a new key for each attempt', async () => {
      const experience = await live();
      restart();
      await down(30_000);
      const tries = browser.requests.length;
      expect(new Set(browser.requests.map((_, at) => keyOf(at))).size).toBeGreaterThan(4);
      await browser.pass(9000);
      expect(browser.requests.length).toBeGreaterThan(tries);
      browser.requests.at(-1)!.answer(ok({ session: {}, launch: manifest() }));
      await browser.pass(0);
      expect(experience.state).toBe('live');
    });

    test('gives up after 45 seconds', async () => {
      const experience = await live();
      restart();
      await down(60_000);
      const tries = browser.requests.length;
      await browser.pass(600_000);
      expect(browser.requests).toHaveLength(tries);
      expect(experience).toMatchObject({ state: 'failed', error: { code: 'NETWORK' } });
    });

    test.each([
      ['the user ends it', (experience: LiveExperience) => experience.end()],
      ['the page is hidden', () => browser.hide()],
    ])('stops retrying when %s', async (_name, stop) => {
      const experience = await live();
      restart();
      await down(10_000);
      const tries = browser.requests.length;
      await stop(experience);
      await down(60_000);
      expect(browser.requests).toHaveLength(tries);
    });

    test('stops retrying after an error that a retry cannot fix', async () => {
      await live();
      restart();
      await browser.pass(2000);
      browser.requests[1]!.answer(refused(403, 'ORIGIN_NOT_ALLOWED'));
      await browser.pass(60_000);
      expect(browser.requests).toHaveLength(2);
    });
  });

  test('whose runtime restarts does not start again in a page that is hidden', async () => {
    const experience = await live();
    runtime.sink.event({ type: 'ended', reason: 'server_shutdown' });
    runtime.sink.closed('runtime', 1001);
    browser.hide();
    await browser.pass(5000);
    expect(experience.state).toBe('ended');
    expect(browser.requests).toHaveLength(1);
  });

  test('whose page is closed is ended by one beacon', async () => {
    const experience = await live();
    const ended = heard(experience, 'ended');
    const { hide } = browser;
    hide();
    hide();
    expect(ended).toEqual([{ reason: 'pagehide' }]);
    expect(browser.left).toEqual([
      { url: manifest().links.leave, token: manifest().sessionToken, how: 'beacon' },
    ]);
    expect(runtime.closed).toEqual(['pagehide']);
    expect(browser.requests).toHaveLength(1);
  });

  test('sends the leave request to the URL set by the page', async () => {
    const experience = await live({ ...pageSource, leaveUrl: '/leave' });
    browser.hide();
    expect(browser.left[0]!.url).toBe('/leave');
    expect(experience.state).toBe('ended');
  });

  test('can be ended in any state, any number of times', async () => {
    const idle = open();
    const ended = heard(idle, 'ended');
    await idle.end();
    expect(idle.state).toBe('idle');
    expect(ended).toEqual([]);
    const experience = await live();
    await Promise.all([experience.end(), experience.end()]);
    await experience.end();
    expect(runtime.closed).toEqual(['user']);
  });
});

describe('other sources', () => {
  test('a relay gets the body, its own headers, and same-origin cookies', async () => {
    const relayInit = () => ({ headers: { 'X-CSRF': '1' } });
    const experience = open({
      experienceId: 'exp_tea',
      relayUrl: '/mint',
      relayInit,
      userId: 'u1',
      mode: 'presenter',
    });
    const started = experience.start();
    await browser.pass(0);
    const { url, init } = browser.requests[0]!;
    expect(url).toBe('/mint');
    expect(init.credentials).toBe('same-origin');
    expect(new Headers(init.headers).get('x-csrf')).toBe('1');
    expect(keyOf(0)).toBe('key-1');
    expect(JSON.parse(String(init.body))).toMatchObject({
      experienceId: 'exp_tea',
      userId: 'u1',
      mode: 'presenter',
    });
    browser.requests[0]!.answer(ok(manifest()));
    await started;
  });

  test('a relay that returns an HTML page is an error', async () => {
    const started = open({ experienceId: 'exp_tea', relayUrl: '/mint' }).start();
    started.catch(() => {});
    await browser.pass(0);
    browser.requests[0]!.answer(new Response('<h1>Not logged in', { status: 401 }));
    await expect(started).rejects.toMatchObject({ code: 'RELAY_FAILED', status: 401 });
  });

  test('a callback gets the fields, a key and a signal; chrome is never part of a mint', async () => {
    const calls: unknown[] = [];
    const experience = open({
      secondaryLocale: 'de',
      ...({ startButton: { label: 'Go' } } as object),
      mint: async (fields, { idempotencyKey, signal }) => {
        calls.push(fields, idempotencyKey, signal.aborted);
        return manifest();
      },
    });
    const started = experience.start();
    await browser.pass(0);
    await started;
    expect(calls).toEqual([expect.objectContaining({ secondaryLocale: 'de' }), 'key-1', false]);
    expect(calls[0]).not.toHaveProperty('startButton');
  });

  test('a callback that throws fails the start, and is called once', async () => {
    let calls = 0;
    const experience = open({
      mint: () => {
        calls++;
        return Promise.reject(new Error('no'));
      },
    });
    const started = experience.start();
    started.catch(() => {});
    await browser.pass(60_000);
    await expect(started).rejects.toMatchObject({ code: 'RELAY_FAILED' });
    expect(calls).toBe(1);
  });
});
