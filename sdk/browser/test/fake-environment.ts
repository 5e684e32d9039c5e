import { createMicrophone } from '../src/audio/microphone.ts';
import { createSpeaker } from '../src/audio/speaker.ts';
import type { Environment } from '../src/core/environment.ts';
import { LiveExperience } from '../src/core/experience.ts';
import { check } from '../src/core/options.ts';
import { websocket } from '../src/transport/websocket.ts';
import type {
  Events,
  ExperienceOptions,
  SessionManifest,
  TransportContext,
  TransportFactory,
} from '../src/types.ts';

type Timer = { at: number; work: () => void };

/** A fake browser: a clock, a network and a record of calls. */
export class FakeBrowser {
  now = 0;
  readonly requests: { url: string; init: RequestInit; answer(response: Response | Error): void }[] = [];
  readonly left: { url: string; token: string; how: string }[] = [];
  readonly warnings: string[] = [];
  hide: () => void = () => {};
  microphones = 0;
  #timers = new Set<Timer>();
  #keys = 0;

  readonly env: Environment = {
    isBrowser: true,
    isSecure: true,
    fetch: (url, init = {}) =>
      new Promise((resolve, reject) => {
        const answer = (response: Response | Error) =>
          response instanceof Error ? reject(response) : resolve(response);
        init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
        this.requests.push({ url: String(url), init, answer });
      }),
    setTimeout: ((work: () => void, ms = 0) => {
      const timer = { at: this.now + ms, work };
      this.#timers.add(timer);
      return timer;
    }) as unknown as typeof setTimeout,
    clearTimeout: ((timer: Timer) => this.#timers.delete(timer)) as unknown as typeof clearTimeout,
    now: () => this.now,
    newKey: () => `key-${++this.#keys}`,
    openAudio: () => undefined,
    media: () =>
      ({
        getUserMedia: () => {
          this.microphones++;
          return Promise.reject(new DOMException('no', 'NotAllowedError'));
        },
      }) as unknown as MediaDevices,
    isMicForbidden: () => false,
    onPageHide: (leave) => {
      this.hide = leave;
      return () => {
        this.hide = () => {};
      };
    },
    leave: (url, token, how) => this.left.push({ url, token, how }),
    warn: (text) => this.warnings.push(text),
  };

  get timers(): number {
    return this.#timers.size;
  }

  /** Advances the clock and runs the timers that are due. */
  async pass(ms: number): Promise<void> {
    await settled();
    const until = this.now + ms;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.now = Math.max(this.now, next.at);
      next.work();
      await settled();
    }
    this.now = until;
  }
}

/** Resolves after all pending promise callbacks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const claims = (seconds: number) =>
  btoa(JSON.stringify({ iat: 1000, exp: 1000 + seconds }))
    .replaceAll('+', '-')
    .replaceAll('/', '_');

export function manifest(over: Partial<SessionManifest> = {}): SessionManifest {
  return {
    schemaVersion: 1,
    sessionId: 'ses_1',
    sessionToken: `head.${claims(600)}.signature`,
    expiresAt: new Date(Date.now() + 600_000).toISOString(),
    livemode: true,
    experience: { experienceId: 'exp_tea', slug: 'tea', title: 'Tea', revision: 1 },
    mode: 'conversation',
    speechInputMode: 'auto',
    speechOnly: false,
    locale: 'en',
    capabilities: ['speech-output', 'speech-input', 'avatar'],
    characters: [{ characterId: 'sayo', name: 'Sayo' }],
    transport: { type: 'fake', url: 'wss://runtime.example.com' },
    limits: { maxSeconds: 900, idleSeconds: 120 },
    links: { leave: 'https://launch.example.com/v1/sessions/ses_1/leave' },
    player: {},
    ...over,
  };
}

export function ok(body: unknown, status = 201): Response {
  return new Response(JSON.stringify(body), { status });
}

export function refused(status: number, code: string, headers: Record<string, string> = {}): Response {
  const error = { code, message: `It is ${code}.`, requestId: 'req_1' };
  return new Response(JSON.stringify({ error }), { status, headers });
}

/** A transport in which the test takes the role of the runtime. */
export class FakeTransport implements TransportFactory {
  readonly type = 'fake';
  readonly opened: TransportContext[] = [];
  readonly said: string[] = [];
  readonly closed: string[] = [];
  refuseWith: Error[] = [];
  /** Thrown by `close` of the connections. */
  closeError: Error | undefined;

  load: TransportFactory['load'] = async () => async (context) => {
    this.opened.push(context);
    const refusal = this.refuseWith.shift();
    if (refusal) throw refusal;
    return {
      setMic: () => {},
      sendText: (text) => void this.said.push(text),
      interrupt: () => void this.said.push('(interrupt)'),
      setVolume: () => {},
      close: (reason) => {
        this.closed.push(reason);
        if (this.closeError) throw this.closeError;
      },
    };
  };

  get sink(): TransportContext['sink'] {
    return this.opened.at(-1)!.sink;
  }
}

export const pageSource = { experienceId: 'exp_tea', baseUrl: 'https://launch.example.com/' } as const;

/** Creates an experience without a player. */
export function createFake(
  browser: FakeBrowser,
  runtime: FakeTransport,
  options: Partial<ExperienceOptions> = pageSource,
): LiveExperience {
  const checked = check({ transports: [runtime], ...options } as ExperienceOptions);
  const attach = () => {
    throw new Error('there is no page');
  };
  const deps = { transports: [websocket(undefined)], createMicrophone, createSpeaker, attach };
  return new LiveExperience(browser.env, checked, deps);
}

/** Starts an experience, and completes its mint and its connection. */
export async function startFake(experience: LiveExperience, browser: FakeBrowser): Promise<LiveExperience> {
  const started = experience.start();
  await browser.pass(0);
  browser.requests.at(-1)?.answer(ok({ session: {}, launch: manifest() }));
  await started;
  return experience;
}

/** Collects the payloads of an event. */
export function heard<K extends keyof Events>(experience: LiveExperience, event: K): Events[K][] {
  const seen: Events[K][] = [];
  experience.on(event, (payload) => seen.push(payload));
  return seen;
}
