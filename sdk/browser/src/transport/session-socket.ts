import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { randomId } from '../core/environment.ts';
import { giveUpAfterMs, reconnectDelay } from '../core/reconnect.ts';
import { pause } from '../core/request.ts';
import type { Frames, Opus } from '../opus.ts';
import type { Connection, Message, TransportContext } from '../types.ts';
import * as wire from '../wire.ts';
import { connect, type Joined } from './connect.ts';
import { Conversation, type Sent } from './conversation.ts';
import type { PageSpeech } from './page-speech.ts';
import { isFinal, isWorthAnotherTry, refusalOf } from './refusals.ts';
import { readMessage } from './runtime-messages.ts';

const firstTries = 3;
const workletTimeoutMs = 10_000;
/** Maximum milliseconds to wait for the browser's list of voices. */
const voicesTimeoutMs = 150;
/** Maximum milliseconds to wait for the code for compressed audio. */
const opusTimeoutMs = 2000;
/** Unanswered pings after which the connection counts as lost. */
const maxUnanswered = 2;
/** Milliseconds between the last check of the heartbeat and the drop. Messages that queued up while the page was busy are read first. */
const queuedMessagesMs = 1000;

/** A session over a WebSocket: connects, exchanges messages and audio, and resumes after a lost connection. */
export class SessionSocket implements Connection {
  readonly #context: TransportContext;
  readonly #conversation: Conversation;
  readonly #opus: Opus | undefined;
  #frames!: Frames;
  #socket!: WebSocket;
  #ready!: Joined['ready'];
  /**
   * Sequence number of the last event, sent when resuming. Excludes `ready`: on resume it has a higher number than the events that the
   * runtime replays after it.
   */
  #lastSeq = 0;
  #isClosed = false;
  #hasEnded = false;
  #isDropped = false;
  /** Messages for the next connection: those with an id that were not echoed, and those sent while disconnected. */
  #unacknowledged: { id: string | undefined; json: string }[] = [];
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  /** Pings sent since the last message of the runtime. */
  #unanswered = 0;
  /** Number of malformed messages and frames that were ignored. */
  #malformed = 0;
  #retryNow: () => void = () => {};

  static async open(context: TransportContext, speech?: PageSpeech): Promise<SessionSocket> {
    const { manifest, sdkUrl } = context;
    const worklet = loadWorklet(context, `${sdkUrl}worklet.js`);
    const loading = loadOpus(context, `${sdkUrl}opus.js`);
    const locales = [manifest.locale, manifest.secondaryLocale].filter((tag) => tag !== undefined);
    // Not awaited here, so that the socket opens while the voices load.
    const hello = Promise.all([loading, speech?.voicesLoaded(voicesTimeoutMs)]).then(([opus]) => ({
      token: manifest.sessionToken,
      audio: opus?.formats,
      speech: {
        synthesis: speech?.spokenHere(locales) ?? [],
        recognition: speech?.canRecognise() && manifest.speechInputMode !== 'off' ? locales : [],
      },
    }));
    for (let tries = 1; ; tries++) {
      const [result, canPlay] = await Promise.all([connect(context, hello), worklet]);
      if (result.socket) return new SessionSocket(context, result, canPlay, await loading, speech);
      const { code, reason } = result;
      // For a runtime at its session limit: one more attempt, and longer delays of about 1.2, 2.7 and 4.8 s.
      const isFull = Number(code === wire.closeCodeFull);
      if (tries >= firstTries + isFull || !isWorthAnotherTry(code)) throw refusalOf(code, reason);
      await pause(globalThis, reconnectDelay(tries + isFull), context.signal);
    }
  }

  private constructor(
    context: TransportContext,
    joined: Joined,
    canPlay: boolean,
    opus: Opus | undefined,
    speech: PageSpeech | undefined,
  ) {
    this.#context = context;
    this.#opus = opus;
    const channel = {
      send: (message: Sent) => this.#send(message),
      sendAudio: (frame: ArrayBuffer) => {
        if (!this.#isDropped && this.#socket.bufferedAmount < 64 * 1024) this.#frames.send(frame);
      },
      enginesChanged: () => this.#emitReady(),
    };
    this.#conversation = new Conversation(context, joined.ready, canPlay, channel, speech);
    this.#adopt(joined);
    // This signal is aborted whenever the session ends.
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
    this.#conversation.interrupt();
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
    this.#socket.close(wire.closeCodeEnded);
  }

  #end(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    this.#retryNow();
    this.#conversation.close();
  }

  #send(message: Sent): void {
    const json = JSON.stringify(message);
    const { id, type, status } = message;
    // `played` and interim transcripts would be outdated on resume.
    const isKept = type !== 'played' && status !== 'interim';
    // Messages with an id are kept until they are echoed: a dead connection is detected late.
    if (isKept && (id || this.#isDropped)) this.#unacknowledged.push({ id, json });
    if (!this.#isDropped) this.#socket.send(json);
  }

  /** Makes `socket` the current connection and sends the kept messages. */
  #adopt({ socket, ready, early }: Joined): void {
    this.#socket = socket;
    this.#ready = ready;
    this.#isDropped = false;
    this.#unanswered = 0;
    const frames = {
      play: (frame: ArrayBuffer) => this.#conversation.frame(frame),
      send: (frame: ArrayBuffer) => socket.send(frame),
    };
    this.#frames = this.#opus?.translated(ready.audio, frames) ?? frames;
    const onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.#unanswered = 0;
      const message = readMessage(data);
      if (message instanceof ArrayBuffer) this.#frames.play(message);
      // `connect` has read the only `ready` of a connection; another one is malformed.
      else if (message && message.type !== 'ready') this.#event(message);
      else this.#context.sink.event({ type: 'malformed', count: ++this.#malformed });
    };
    const onclose = ({ code }: CloseEvent) => this.#onDrop(socket, code);
    // Deferred until the caller has the connection. Buffered events are delivered first.
    setTimeout(() => {
      if (this.#isClosed) return;
      Object.assign(socket, { onmessage, onclose });
      for (const event of early) {
        if ('data' in event) onmessage(event);
        else onclose(event);
      }
    });
    clearInterval(this.#heartbeat);
    // Counts pings instead of measuring time: browsers run the timers of hidden pages as rarely as once a minute.
    this.#heartbeat = setInterval(() => {
      if (++this.#unanswered > maxUnanswered)
        setTimeout(() => this.#unanswered > maxUnanswered && this.#onDrop(socket, 1006), queuedMessagesMs);
      this.#send({ type: 'ping', t: Math.round(performance.now()) });
    }, ready.limits.heartbeatSeconds * 1000);
    this.#emitReady();
    for (const { json } of this.#unacknowledged) socket.send(json);
    this.#unacknowledged = this.#unacknowledged.filter(({ id }) => id);
  }

  /**
   * Emits `ready` without its resume ticket, and with the engines that work in this page. Emitted again when they change, so that the
   * player shows it, and the microphone is released if it is not used.
   */
  #emitReady(): void {
    const { resumeTicket: _credential, ...facts } = this.#ready;
    this.#context.sink.event({ ...facts, engines: { ...this.#conversation.engines } });
  }

  #event(event: RuntimeEvent): void {
    if (event.seq) this.#lastSeq = event.seq;
    const { sink, manifest } = this.#context;
    if (event.type === 'ended') this.#hasEnded = true;
    if (event.type === 'mode') {
      this.#conversation.mode(event.mode);
      sink.mode(event.mode);
    } else if (event.type === 'message') {
      if (event.status === 'final')
        this.#unacknowledged = this.#unacknowledged.filter(({ id }) => id !== event.id);
      sink.message(messageOf(event, manifest.locale));
    } else this.#conversation.event(event);
    if (!['pong', 'message', 'mode'].includes(event.type)) sink.event({ ...event });
  }

  #onDrop(socket: WebSocket, code: number): void {
    if (this.#isClosed || socket !== this.#socket || this.#isDropped) return;
    if (this.#hasEnded || code === wire.closeCodeEnded || isFinal(code))
      return void this.#finish('runtime', code);
    this.#isDropped = true;
    clearInterval(this.#heartbeat);
    socket.onmessage = null;
    socket.close();
    this.#context.sink.dropped(code);
    void this.#reconnect(code);
  }

  async #reconnect(code: number): Promise<void> {
    const until = performance.now() + giveUpAfterMs;
    const msLeft = () => until - performance.now();
    for (let tries = 0; ; tries++) {
      // If the runtime closed the connection with 1013 or higher, wait about 1.2 s or longer.
      if (code >= wire.closeCodeFull) tries = Math.max(tries, 2);
      await this.#pause(Math.min(reconnectDelay(tries), msLeft()));
      if (this.#isClosed) return;
      if (msLeft() <= 0) return this.#finish('error');
      const resume = { ticket: this.#ready.resumeTicket, lastSeq: this.#lastSeq };
      const facts = { resume, audio: this.#opus?.formats };
      const result = await connect(this.#context, facts, msLeft()).catch(() => undefined);
      if (!result || this.#isClosed) {
        result?.socket?.close(wire.closeCodeEnded);
        return;
      }
      if (result.socket) {
        this.#adopt(result);
        this.#context.sink.resumed();
        return;
      }
      // A final code means that the session cannot be resumed: stop retrying.
      code = result.code;
      if (isFinal(code)) return this.#finish('error', code);
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

  #finish(by: 'runtime' | 'error', code?: number): void {
    this.#end();
    this.#context.sink.closed(by, code);
  }
}

/** Loads the worklet module. Resolves to false if CSP or the browser does not allow it: the session then has captions only. */
function loadWorklet({ audio, signal }: TransportContext, url: string): Promise<boolean> {
  const worklet = (audio as AudioContext | undefined)?.audioWorklet?.addModule(url);
  return within(
    workletTimeoutMs,
    signal,
    worklet?.then(() => true),
  ).then(Boolean);
}

/** Loads the code for compressed audio. Resolves to `undefined` if the browser or the service has none: audio is then PCM. */
function loadOpus({ signal }: TransportContext, url: string): Promise<Opus | undefined> {
  const loaded = globalThis.AudioDecoder && import(/* @vite-ignore */ /* webpackIgnore: true */ url);
  return within(
    opusTimeoutMs,
    signal,
    loaded?.then(({ openOpus }) => openOpus()),
  );
}

/** Resolves to `undefined` if the work fails or takes longer. */
function within<T>(ms: number, signal: AbortSignal, work: Promise<T> | undefined): Promise<T | undefined> {
  const no = () => undefined;
  return Promise.race([work?.catch(no), pause(globalThis, ms, signal).then(no, no)]);
}

function messageOf(event: Extract<RuntimeEvent, { type: 'message' }>, locale: string): Message {
  const { type: _type, seq: _seq, heard: _heard, spans = [], ...message } = event;
  return {
    ...message,
    ...(event.role === 'character' && { locale: spans[0]?.locale ?? locale }),
    ...(spans.length > 1 && { spans }),
  };
}
