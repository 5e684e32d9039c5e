import { createExperience, type Experience } from '@session-launch/browser/core';
import { pageOrigin } from '@session-launch/testing/world.ts';
import { onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';

/** Sockets that the SDK has opened. */
const sockets = new Set<WebSocket>();

class PageSocket extends WebSocket {
  constructor(url: string, protocols: string) {
    super(url, protocols, { origin: pageOrigin, perMessageDeflate: false });
    // As in a browser, a failed connection is reported by `onclose` alone.
    this.on('error', () => {});
    sockets.add(this);
  }
}

/** Provides the browser APIs that sessions without audio need, until the test is finished. */
export function actAsBrowser(): void {
  const { fetch } = globalThis;
  const globals = {
    document: {},
    addEventListener: () => {},
    removeEventListener: () => {},
    WebSocket: PageSocket,
    fetch: (url: string, init: RequestInit) => {
      const headers = new Headers(init.headers);
      headers.set('Origin', pageOrigin);
      return fetch(url, { ...init, headers });
    },
  };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  onTestFinished(() => {
    sockets.clear();
    vi.unstubAllGlobals();
  });
}

/** The SDK's open sockets to a service. */
export const openSockets = (url: string) =>
  [...sockets].filter(
    (socket) => socket.url.startsWith(url.replace('http', 'ws')) && socket.readyState !== WebSocket.CLOSED,
  );

/** A page that talks continuously with the SDK, which reconnects by itself. Call `actAsBrowser` first. */
export class SdkClient {
  readonly #experience: Experience;
  readonly #question: string;
  readonly #pauseMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** Number of replies of the character, and the reasons for which sessions ended. */
  answers = 0;
  readonly ends: string[] = [];
  /** Errors after which the page would have to be started again. */
  readonly failures: unknown[] = [];

  constructor(options: {
    baseUrl: string;
    experienceId: string;
    question: string;
    answer: string;
    pauseMs: number;
  }) {
    const { baseUrl, question, answer, pauseMs } = options;
    const experienceId = options.experienceId as `exp_${string}`;
    [this.#question, this.#pauseMs] = [question, pauseMs];
    const experience = createExperience({ baseUrl, experienceId, locale: 'en', speechInputMode: 'off' });
    this.#experience = experience;
    experience.on('stateChange', (state) => {
      if (state === 'live') this.#ask();
    });
    experience.on('message', ({ role, status, text }) => {
      if (role !== 'character' || status !== 'final' || text !== answer) return;
      this.answers++;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#ask(), this.#pauseMs);
    });
    experience.on('runtimeEvent', ({ type, reason }) => {
      if (type === 'ended') this.ends.push(String(reason));
    });
    experience.start().catch((error) => this.failures.push(error));
  }

  get state(): string {
    return this.#experience.state;
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#experience.end();
  }

  #ask(): void {
    if (this.#experience.state === 'live') this.#experience.sendText(this.#question);
  }
}
