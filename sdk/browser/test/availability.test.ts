import { beforeEach, expect, test } from 'vitest';
import type { ExperienceOptions } from '../src/types.ts';
import { createFake, FakeBrowser, FakeTransport, ok, refused } from './fake-environment.ts';

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

const ask = (options?: object) =>
  createFake(browser, new FakeTransport(), options as ExperienceOptions).availability();
const baseUrl = 'https://launch.example.com/';

test.each([
  [undefined, 'browser'],
  ['browser', 'browser'],
  ['public', 'public'],
])('with the door %s, it asks for the door %s, once', async (door, asked) => {
  const answer = ask({ experienceId: 'exp_tea', baseUrl, door });
  await browser.pass(0);
  const [{ url, init, answer: respond }] = browser.requests as [(typeof browser.requests)[number]];
  expect(url).toBe(`https://launch.example.com/v1/experiences/exp_tea/availability?door=${asked}`);
  expect([init.method, init.body]).toEqual([undefined, undefined]);
  const busy = { available: false, code: 'CONCURRENCY_LIMIT', message: 'Full.', retryAfter: 5 };
  respond(ok(busy, 200));
  expect(await answer).toEqual(busy);
  await browser.pass(60_000);
  expect(browser.requests).toHaveLength(1);
  expect(browser.timers).toBe(0);
});

test('it rejects with the error of the service, and if there is no response', async () => {
  const limited = ask();
  await browser.pass(0);
  browser.requests[0]!.answer(refused(429, 'RATE_LIMITED', { 'Retry-After': '7' }));
  await expect(limited).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 7000 });
  const lost = ask();
  await browser.pass(0);
  browser.requests[1]!.answer(new TypeError('reset'));
  await expect(lost).rejects.toMatchObject({ code: 'NETWORK' });
  const late = ask();
  late.catch(() => {});
  await browser.pass(10_000);
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
});

test.each([[{ experienceId: 'exp_tea', relayUrl: '/mint' }], [{ mint: async () => ({}) }], [{ launch: {} }]])(
  'for the source %j, it rejects with a TypeError and sends nothing',
  async (source) => {
    await expect(ask(source)).rejects.toThrow(TypeError);
    expect(browser.requests).toEqual([]);
  },
);
