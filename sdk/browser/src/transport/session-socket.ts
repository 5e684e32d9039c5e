import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { randomId } from '../core/environment.ts';
import { aborted } from '../core/experience-error.ts';
import type { Connection, Message, TransportContext } from '../types.ts';
import { version } from '../version.ts';
import { Conversation, type Sent } from './conversation.ts';
import type { PageSpeech } from './page-speech.ts';
import { giveUpAfterMs, reconnectDelay } from './reconnect.ts';
import { isFinal, isWorthAnotherTry, refusalOf } from './refusals.ts';

type Ready = Extract<RuntimeEvent, { type: 'ready' }>;

const subprotocol = 'session.v1';
const firstTries = 3;
const readyTimeoutMs = 10_000;
/** A list of voices that is not there by then is not waited for. */
const voicesMs = 150;

/** A session over a WebSocket: hello, what follows, and the way back when the connection breaks. */
export class SessionSocket implements Connection {
  readonly #context: TransportContext;
  readonly #conversation: Conversation;
  #socket: WebSocket;
  #ready: Ready;
  /** Of events alone: a `ready` that resumes has a later number than what is told again after it. */
  #lastSeq = 0;
  #isClosed = false;
  #hasEnded = false;
  #isDropped = false;
  /** For the next connection: what was said and did not come back, and all that was sent while there was none. */
  #kept: { id: string | undefined; json: string }[] = [];
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #heardAt = 0;
  #retryNow: () => void = () => {};

  static async open(context: TransportContext, own?: PageSpeech): Promise<SessionSocket> {
    const { manifest, audio, sdkUrl } = context;
    const module = loaded(audio, `${sdkUrl}worklet.js`);
    const locales = [manifest.locale, manifest.secondaryLocale].filter((tag) => tag !== undefined);
    await own?.voicesLoaded(voicesMs);
    const speech = {
      synthesis: own?.spokenHere(locales) ?? [],
      recognition: own?.canRecognise() && manifest.speechInputMode !== 'off' ? locales : [],
    };
    const hello = { token: manifest.sessionToken, speech };
    for (let tries = 1; ; tries++) {
      const [result, canPlay] = await Promise.all([connect(context, hello), module]);
      if (result.socket) return new SessionSocket(context, result, canPlay, own);
      if (tries >= firstTries || !isWorthAnotherTry(result.code)) throw refusalOf(result.code, result.reason);
      await wait(reconnectDelay(tries), context.signal);
    }
  }

  private constructor(
    context: TransportContext,
    joined: Joined,
    canPlay: boolean,
    own: PageSpeech | undefined,
  ) {
    const { socket, ready } = joined;
    this.#context = context;
    const line = {
      send: (message: Sent) => this.#send(message),
      sendAudio: (frame: ArrayBuffer) => {
        if (!this.#isDropped && this.#socket.bufferedAmount < 64 * 1024) this.#socket.send(frame);
      },
      deaf: () => this.#tellReady(),
    };
    this.#conversation = new Conversation(context, ready, canPlay, line, own);
    this.#socket = socket;
    this.#ready = ready;
    this.#adopt(joined);
    // Whatever ends the session aborts this signal.
    const { signal } = context;
    signal.addEventListener('abort', () => this.close());
    globalThis.addEventListener?.('online', () => this.#retryNow(), { signal });
  }

  setMic(track: MediaStreamTrack | null): void {
    this.#conversation.setMic(track);
  }

  sendText(text: string, id = randomId()): void {
    this.#conversation.dropSound();
    this.#send({ type: 'text', id, text });
  }

  interrupt(): void {
    this.#conversation.dropSound();
    this.#send({ type: 'interrupt' });
  }

  setVolume(volume: number): void {
    this.#conversation.setVolume(volume);
  }

  level(): number {
    return this.#conversation.level();
  }

  close(): void {
    if (this.#isClosed) return;
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send('{"type":"bye"}');
    this.#end();
    this.#socket.close(1000);
  }

  #end(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    this.#retryNow();
    this.#conversation.close();
  }

  #send(message: Sent): void {
    const json = JSON.stringify(message);
    // A connection may be dead for a while before anybody knows. How far a voice was heard is stale by then.
    const id = message.status === 'interim' ? undefined : message.id;
    if (id || (this.#isDropped && message.type !== 'played')) this.#kept.push({ id, json });
    if (!this.#isDropped) this.#socket.send(json);
  }

  /** From now on this is the connection. */
  #adopt({ socket, ready, early }: Joined): void {
    this.#socket = socket;
    this.#ready = ready;
    this.#isDropped = false;
    this.#heardAt = performance.now();
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.#heardAt = performance.now();
      if (typeof data === 'string') this.#event(JSON.parse(data));
      else this.#conversation.frame(data);
    };
    socket.onclose = ({ code }) => this.#lost(socket, code);
    clearInterval(this.#heartbeat);
    const beatMs = ready.limits.heartbeatSeconds * 1000;
    this.#heartbeat = setInterval(() => {
      if (performance.now() - this.#heardAt > 2 * beatMs) this.#lost(socket, 1006);
      else this.#send({ type: 'ping', t: Math.round(performance.now()) });
    }, beatMs);
    this.#tellReady();
    for (const { json } of this.#kept) socket.send(json);
    this.#kept = this.#kept.filter(({ id }) => id);
    for (const event of early) socket[`on${event.type as 'close'}`]?.(event as CloseEvent);
  }

  /** Told again when the page turns out to be deaf: players say so, and the microphone is given back. */
  #tellReady(): void {
    const { resumeTicket: _credential, ...facts } = this.#ready;
    if (this.#conversation.isDeaf) facts.engines = { ...facts.engines, hearing: { kind: 'none' } };
    this.#context.sink.event(facts);
  }

  #event(event: RuntimeEvent): void {
    if (event.seq) this.#lastSeq = event.seq;
    const { sink, manifest } = this.#context;
    if (event.type === 'ended') this.#hasEnded = true;
    if (event.type === 'mode') {
      this.#conversation.mode(event.mode);
      sink.mode(event.mode);
    } else if (event.type === 'message') {
      if (event.status === 'final') this.#kept = this.#kept.filter(({ id }) => id !== event.id);
      sink.message(messageOf(event, manifest.locale));
    } else this.#conversation.event(event);
    if (!['pong', 'message', 'mode'].includes(event.type)) sink.event({ ...event });
  }

  #lost(socket: WebSocket, code: number): void {
    if (this.#isClosed || socket !== this.#socket || this.#isDropped) return;
    if (this.#hasEnded || code === 1000 || isFinal(code)) {
      this.#over('runtime', code);
      return;
    }
    this.#isDropped = true;
    clearInterval(this.#heartbeat);
    socket.onmessage = null;
    socket.close();
    this.#context.sink.dropped();
    // Whoever was sent away for being too fast does not come back at once.
    void this.#comeBack(code < 4400 ? 0 : 2);
  }

  async #comeBack(tries: number): Promise<void> {
    const until = performance.now() + giveUpAfterMs;
    for (; ; tries++) {
      await this.#pause(Math.min(reconnectDelay(tries), Math.max(0, until - performance.now())));
      if (this.#isClosed) return;
      if (performance.now() >= until) return this.#over('error');
      const resume = { ticket: this.#ready.resumeTicket, lastSeq: this.#lastSeq };
      const result = await connect(this.#context, { resume }).catch(() => undefined);
      if (!result || this.#isClosed) {
        result?.socket?.close(1000);
        return;
      }
      if (result.socket) {
        this.#adopt(result);
        this.#context.sink.resumed();
        return;
      }
      // Nobody knows this session any more: waiting longer will not help.
      if (isFinal(result.code)) return this.#over('error', result.code);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#retryNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #over(by: 'runtime' | 'error', code?: number): void {
    this.#end();
    this.#context.sink.closed(by, code);
  }
}

/** Whether sound can be played. A page whose policy, or whose browser, lets no worklet in still reads what is said. */
function loaded(audio: AudioContext | undefined, url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), readyTimeoutMs);
    const settle = (canPlay: boolean) => {
      clearTimeout(timer);
      resolve(canPlay);
    };
    if (!audio?.audioWorklet) return settle(false);
    audio.audioWorklet.addModule(url).then(
      () => settle(true),
      () => settle(false),
    );
  });
}

interface HelloFacts {
  token?: string;
  resume?: { ticket: string; lastSeq: number };
  speech?: { synthesis: string[]; recognition: string[] };
}

/** `early`: what has come since, for whoever takes it over. */
type Joined = { socket: WebSocket; ready: Ready; early: Event[] };
type Connected = Joined | { socket?: undefined; code: number; reason: string };

/** One try. Resolves with the socket once the runtime is ready, or with the code that it closed with. */
function connect({ manifest, signal }: TransportContext, facts: HelloFacts): Promise<Connected> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted());
    // Throws where a page on https is sent to a ws address.
    const socket = new WebSocket(manifest.transport.url, subprotocol);
    socket.binaryType = 'arraybuffer';
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      socket.onopen = socket.onmessage = socket.onclose = null;
      settled();
    };
    const leave = () =>
      settle(() => {
        socket.close(1000);
        reject(aborted());
      });
    const timer = setTimeout(() => {
      settle(() => resolve({ code: 1006, reason: 'no answer' }));
      socket.close();
    }, readyTimeoutMs);
    signal.addEventListener('abort', leave);
    socket.onopen = () => {
      const client = { name: '@session-launch/browser', version };
      socket.send(JSON.stringify({ type: 'hello', protocol: 1, client, ...facts }));
    };
    socket.onclose = ({ code, reason }) => settle(() => resolve({ code, reason }));
    socket.onmessage = ({ data }) => {
      const event = typeof data === 'string' ? (JSON.parse(data) as RuntimeEvent) : undefined;
      if (event?.type !== 'ready') return;
      const early: Event[] = [];
      settle(() => resolve({ socket, ready: event, early }));
      socket.onmessage = socket.onclose = (one: Event) => void early.push(one);
    };
  });
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal.addEventListener('abort', leave, { once: true });
  });
}

function messageOf(event: Extract<RuntimeEvent, { type: 'message' }>, locale: string): Message {
  const { id, role, characterId, status, text, spans, interrupted } = event;
  return {
    id,
    role,
    text,
    status,
    ...(characterId === undefined ? {} : { characterId }),
    ...(role === 'character' ? { locale: spans?.[0]?.locale ?? locale } : {}),
    ...(spans === undefined || spans.length < 2 ? {} : { spans }),
    ...(interrupted === undefined ? {} : { interrupted }),
  };
}
