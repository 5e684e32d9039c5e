import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LiveExperience } from '../src/core/experience.ts';
import type { ExperienceOptions } from '../src/types.ts';
import {
  createFake,
  FakeBrowser,
  FakeTransport,
  heard,
  manifest,
  pageSource,
  refused,
  startFake,
} from './fake-environment.ts';

let browser: FakeBrowser;
let runtime: FakeTransport;
let reported: unknown[];

beforeEach(() => {
  browser = new FakeBrowser();
  runtime = new FakeTransport();
  reported = [];
  vi.stubGlobal('reportError', (error: unknown) => reported.push(error));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const open = (options?: Partial<ExperienceOptions>) => createFake(browser, runtime, options);
const live = (options?: Partial<ExperienceOptions>) => startFake(open(options), browser);
const leaveRequest = { url: manifest().links.leave, token: manifest().sessionToken, how: 'request' };

describe('a session that is ended while it reconnects', () => {
  test('is ended by a request, because the transport cannot send bye', async () => {
    const experience = await live();
    runtime.sink.dropped();
    await experience.end();
    expect(browser.left).toEqual([leaveRequest]);
  });

  test('is ended by bye if it was resumed before', async () => {
    const experience = await live();
    runtime.sink.dropped();
    runtime.sink.resumed();
    await experience.end();
    expect([browser.left, runtime.closed]).toEqual([[], ['user']]);
  });

  test('is not reported as left if the connection is lost for good', async () => {
    await live();
    runtime.sink.dropped();
    runtime.sink.closed('error');
    expect(browser.left).toEqual([]);
  });
});

describe('log', () => {
  const lines: string[][] = [];
  const log = (...line: string[]) => void lines.push(line);
  beforeEach(() => void lines.splice(0));

  test('receives the close code of a lost connection', async () => {
    await live({ ...pageSource, log });
    runtime.sink.dropped(1006);
    runtime.sink.resumed();
    runtime.sink.dropped();
    expect(lines).toEqual([
      ['warn', 'The connection was lost (1006).'],
      ['warn', 'The connection was lost (unknown).'],
    ]);
  });

  test('that throws is reported, and the states change as without it', async () => {
    const failure = new Error('of the page');
    const experience = await live({
      ...pageSource,
      log: () => {
        throw failure;
      },
    });
    runtime.sink.dropped(1006);
    expect(experience.state).toBe('reconnecting');
    runtime.sink.closed('error');
    expect(experience.state).toBe('failed');
    expect(reported).toEqual([failure, failure]);
  });
});

describe('a transport whose close throws', () => {
  beforeEach(() => {
    runtime.closeError = new Error('of the plug-in');
  });

  test('is reported, and end() resolves', async () => {
    const experience = await live();
    const ended = heard(experience, 'ended');
    await experience.end();
    expect([experience.state, ended, reported]).toEqual([
      'ended',
      [{ reason: 'user' }],
      [runtime.closeError],
    ]);
  });

  test('is reported, and a start that is ended while it connects rejects with ABORTED', async () => {
    const experience = open({ mint: async () => manifest() });
    const load = runtime.load;
    runtime.load = async () => {
      const connect = await load();
      return async (context) => {
        await experience.end();
        return connect(context);
      };
    };
    const started = experience.start();
    started.catch(() => {});
    await browser.pass(0);
    await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    expect(reported).toEqual([runtime.closeError]);
  });
});

test('a leave request that throws on pagehide is reported, and the session is ended', async () => {
  const experience = await live();
  browser.env.leave = () => {
    throw new TypeError('not a URL');
  };
  browser.hide();
  expect([experience.state, reported.length]).toEqual(['ended', 1]);
});

describe('a handler that calls start()', () => {
  /** Collects all events that concern the life of an attempt, in order. */
  function follow(experience: LiveExperience): string[] {
    const seen: string[] = [];
    experience.on('stateChange', (state) => seen.push(state));
    experience.on('error', ({ code }) => seen.push(code));
    experience.on('ended', ({ reason }) => seen.push(`ended by ${reason}`));
    return seen;
  }

  test.each(['ending', 'ended'])('on the state %s starts after the last event of the session', async (on) => {
    const experience = await live();
    experience.on('stateChange', (state) => void (state === on && experience.start()));
    const seen = follow(experience);
    await experience.end();
    expect(seen).toEqual(['ending', 'ended', 'ended by user', 'minting']);
    const started = experience.start();
    expect(experience.start()).toBe(started);
    await browser.pass(0);
    expect([experience.state, browser.requests.length]).toEqual(['minting', 2]);
  });

  test.each([
    ['stateChange', 'failed'],
    ['error', undefined],
    ['ended', undefined],
  ] as const)('on %s of a failed session starts after its last event', async (event, state) => {
    const experience = await live();
    experience.on(event, (payload) => void ((state ?? payload) === payload && experience.start()));
    const seen = follow(experience);
    runtime.sink.dropped();
    runtime.sink.closed('error');
    await browser.pass(0);
    const failed = ['reconnecting', 'failed', 'CONNECTION_LOST', 'ended by connection-lost'];
    expect(seen).toEqual([...failed, 'minting']);
    expect([experience.state, experience.error, browser.requests.length]).toEqual(['minting', null, 2]);
  });

  test('on the state failed of a refused mint starts after its last event', async () => {
    const experience = open();
    experience.on('stateChange', (state) => void (state === 'failed' && experience.start()));
    const seen = follow(experience);
    experience.start();
    await browser.pass(0);
    browser.requests[0]!.answer(refused(403, 'ORIGIN_NOT_ALLOWED'));
    await browser.pass(0);
    expect(seen).toEqual(['minting', 'failed', 'ORIGIN_NOT_ALLOWED', 'minting']);
  });

  test('on the state minting joins the attempt', async () => {
    const experience = open();
    experience.on('stateChange', () => void experience.start());
    experience.start();
    await browser.pass(0);
    expect(browser.requests).toHaveLength(1);
  });

  test('and then end() starts nothing', async () => {
    const experience = await live();
    let started: Promise<void> | undefined;
    experience.once('ended', () => {
      started = experience.start();
      void experience.end();
    });
    await experience.end();
    await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    await browser.pass(0);
    expect([experience.state, browser.requests.length]).toEqual(['ended', 1]);
  });
});

test('a given launch that arrives after the end does not change the state of the next attempt', async () => {
  const experience = open({ launch: manifest() });
  const seen = heard(experience, 'stateChange');
  experience.start().catch(() => {});
  void experience.end();
  await expect(experience.start()).rejects.toMatchObject({ code: 'SESSION_USED' });
  expect(seen).toEqual(['minting', 'ending', 'ended', 'minting', 'failed']);
  expect(experience.session).toBe(null);
});

describe('a microphone prompt that is still open', () => {
  let deny: () => void;
  beforeEach(() => {
    const getUserMedia = () =>
      new Promise((_, reject) => {
        deny = () => reject(new DOMException('no', 'NotAllowedError'));
      });
    browser.env.media = () => ({ getUserMedia }) as unknown as MediaDevices;
  });

  test('is no error if the runtime cannot transcribe', async () => {
    const experience = await live();
    const errors = heard(experience, 'error');
    runtime.sink.event({ type: 'ready', engines: { hearing: { kind: 'none' } } });
    deny();
    await browser.pass(0);
    expect([experience.state, experience.mic.status, errors]).toEqual(['live', 'off', []]);
  });

  test('leads to a muted microphone if the page has called mute() before the start', async () => {
    const track = Object.assign(new EventTarget(), { enabled: true, stop: () => {} });
    const stream = { getTracks: () => [track], getAudioTracks: () => [track] };
    browser.env.media = () => ({ getUserMedia: async () => stream }) as unknown as MediaDevices;
    const experience = open();
    experience.mic.mute();
    await startFake(experience, browser);
    await browser.pass(0);
    expect([experience.mic.status, track.enabled]).toEqual(['muted', false]);
  });

  test('is an error if it is denied', async () => {
    const experience = await live();
    const errors = heard(experience, 'error');
    deny();
    await browser.pass(0);
    expect(errors).toMatchObject([{ code: 'MIC_UNAVAILABLE', fatal: false }]);
  });
});
