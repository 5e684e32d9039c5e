import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { randomId } from '../core/environment.ts';
import { aborted, ExperienceError } from '../core/experience-error.ts';
import { pause } from '../core/request.ts';
import type { Connection, EndReason, Message, TransportContext } from '../types.ts';
import { version } from '../version.ts';
import { Conversation } from './conversation.ts';
import { spokenHere, voicesLoaded } from './page-voice.ts';
import { canRecognise } from './recognition.ts';
import { giveUpAfterMs, reconnectDelay } from './reconnect.ts';
import { isWorthAnotherTry, refusalOf } from './refusals.ts';

type Ready = Extract<RuntimeEvent, { type: 'ready' }>;

const subprotocol = 'session.v1';
const firstTries = 3;
/** A runtime that is just starting lets clients wait. Whoever gives up too early has used its token up. */
const readyTimeoutMs = 20_000;
const workletMs = 10_000;
/** A list of voices that is not there by then is not waited for. */
const voicesMs = 150;

/** A session over a WebSocket: hello, what follows, and the way back when the connection breaks. */
export class SessionSocket implements Connection {
  readonly #context: TransportContext;
  readonly #conversation: Conversation;
  #socket!: WebSocket;
  #ticket!: string;
  #lastSeq = 0;
  #isClosed = false;
  #hasEnded = false;
  #isDropped = false;
  /** Sent while there was nobody to hear it. */
  #waiting: string[] = [];
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #heardAt = 0;
  #retryNow: () => void = () => {};

  static async open(context: TransportContext): Promise<SessionSocket> {
    const { manifest, sdkUrl } = context;
    const module = loaded(context, `${sdkUrl}worklet.js`);
    const locales = [manifest.locale, manifest.secondaryLocale].filter((tag) => tag !== undefined);
    // The socket opens meanwhile.
    const hello = voicesLoaded(voicesMs).then(() => ({
      token: manifest.sessionToken,
      speech: {
        synthesis: spokenHere(locales),
        recognition: canRecognise() && manifest.speechInputMode !== 'off' ? locales : [],
      },
    }));
    for (let tries = 1; ; tries++) {
      const [result, canPlay] = await Promise.all([connect(context, hello), module]);
      if (result.socket) return new SessionSocket(context, result, canPlay);
      if (tries >= firstTries || !isWorthAnotherTry(result.code)) throw refusalOf(result.code, result.reason);
      await pause(globalThis, reconnectDelay(tries), context.signal);
    }
  }

  private constructor(context: TransportContext, open: Open, canPlay: boolean) {
    this.#context = context;
    this.#conversation = new Conversation(context, open.ready, canPlay, {
      send: (message) => this.#send(message),
      sendAudio: (frame) => {
        if (!this.#isDropped && this.#socket.bufferedAmount < 64 * 1024) this.#socket.send(frame);
      },
    });
    this.#adopt(open);
    context.signal.addEventListener('abort', this.#abandon);
    globalThis.addEventListener?.('online', this.#online);
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

  close(_reason: EndReason): void {
    if (this.#isClosed) return;
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send('{"type":"bye"}');
    this.#end();
    this.#socket.close(1000);
  }

  #abandon = (): void => this.close('aborted');
  #online = (): void => this.#retryNow();

  #end(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    this.#retryNow();
    this.#context.signal.removeEventListener('abort', this.#abandon);
    globalThis.removeEventListener?.('online', this.#online);
    this.#conversation.close();
  }

  #send(message: object): void {
    const json = JSON.stringify(message);
    if (!this.#isDropped) this.#socket.send(json);
    // How far a voice was heard is stale by then.
    else if ((message as { type: string }).type !== 'played') this.#waiting.push(json);
  }

  /** From now on this is the connection. */
  #adopt({ socket, ready, early }: Open): void {
    this.#socket = socket;
    this.#ticket = ready.resumeTicket;
    this.#isDropped = false;
    this.#lastSeq = Math.max(this.#lastSeq, ready.seq);
    this.#heardAt = performance.now();
    const onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.#heardAt = performance.now();
      if (typeof data === 'string') this.#event(JSON.parse(data));
      else this.#conversation.frame(data);
    };
    const onclose = ({ code }: CloseEvent) => this.#lost(socket, code);
    // Once everybody knows of the connection. What it said meanwhile comes first.
    setTimeout(() => {
      if (this.#isClosed) return;
      Object.assign(socket, { onmessage, onclose });
      for (const event of early) {
        if ('data' in event) onmessage(event);
        else onclose(event);
      }
    });
    clearInterval(this.#heartbeat);
    const beatMs = ready.limits.heartbeatSeconds * 1000;
    this.#heartbeat = setInterval(() => {
      if (performance.now() - this.#heardAt > 2 * beatMs) this.#lost(socket, 1006);
      else this.#send({ type: 'ping', t: Math.round(performance.now()) });
    }, beatMs);
    const { resumeTicket: _credential, ...facts } = ready;
    this.#context.sink.event({ ...facts });
    for (const json of this.#waiting.splice(0)) socket.send(json);
  }

  #event(event: RuntimeEvent): void {
    if (typeof event.seq === 'number') this.#lastSeq = Math.max(this.#lastSeq, event.seq);
    const { sink, manifest } = this.#context;
    if (event.type === 'ended') this.#hasEnded = true;
    if (event.type === 'mode') {
      this.#conversation.mode(event.mode);
      sink.mode(event.mode);
    } else if (event.type === 'message') sink.message(messageOf(event, manifest.locale));
    else this.#conversation.event(event);
    if (!['pong', 'message', 'mode'].includes(event.type)) sink.event({ ...event });
  }

  #lost(socket: WebSocket, code: number): void {
    if (this.#isClosed || socket !== this.#socket || this.#isDropped) return;
    const isOver = this.#hasEnded || code === 1000 || (code >= 4400 && code < 4500);
    if (isOver) {
      this.#over('runtime', code);
      return;
    }
    this.#isDropped = true;
    clearInterval(this.#heartbeat);
    socket.onmessage = null;
    socket.close();
    this.#context.sink.dropped();
    void this.#comeBack();
  }

  async #comeBack(): Promise<void> {
    const until = performance.now() + giveUpAfterMs;
    for (let tries = 0; ; tries++) {
      await this.#pause(Math.min(reconnectDelay(tries), Math.max(0, until - performance.now())));
      if (this.#isClosed) return;
      if (performance.now() >= until) return this.#over('error');
      const resume = { ticket: this.#ticket, lastSeq: this.#lastSeq };
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
      if (result.code >= 4400 && result.code < 4500) return this.#over('error', result.code);
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
function loaded({ audio, signal }: TransportContext, url: string): Promise<boolean> {
  const no = () => false;
  const module = (audio as AudioContext | undefined)?.audioWorklet?.addModule(url);
  return Promise.race([
    module?.then(() => true, no) ?? false,
    pause(globalThis, workletMs, signal).then(no, no),
  ]);
}

interface HelloFacts {
  token?: string;
  resume?: { ticket: string; lastSeq: number };
  speech?: { synthesis: string[]; recognition: string[] };
}

/** With what the runtime said since it was ready: the page may still be loading what it plays it with. */
interface Open {
  socket: WebSocket;
  ready: Ready;
  early: (MessageEvent | CloseEvent)[];
}

type Connected = Open | { socket?: undefined; code: number; reason: string };

/** One try. Resolves with the socket once the runtime is ready, or with the code that it closed with. */
function connect(
  { manifest, signal }: TransportContext,
  facts: HelloFacts | Promise<HelloFacts>,
): Promise<Connected> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted());
    let socket: WebSocket;
    try {
      socket = new WebSocket(manifest.transport.url, subprotocol);
    } catch (cause) {
      const hint = 'A page on https can only connect to wss addresses.';
      return reject(
        new ExperienceError('CONNECT_FAILED', 'The runtime has no usable address.', { cause, hint }),
      );
    }
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
    socket.onopen = async () => {
      const client = { name: '@session-launch/browser', version };
      const hello = JSON.stringify({ type: 'hello', protocol: 1, client, ...(await facts) });
      if (socket.readyState === WebSocket.OPEN) socket.send(hello);
    };
    socket.onclose = ({ code, reason }) => settle(() => resolve({ code, reason }));
    socket.onmessage = ({ data }) => {
      const event = typeof data === 'string' ? (JSON.parse(data) as RuntimeEvent) : undefined;
      if (event?.type !== 'ready') return;
      const early: Open['early'] = [];
      settle(() => resolve({ socket, ready: event, early }));
      socket.onmessage = socket.onclose = (later: MessageEvent | CloseEvent) => void early.push(later);
    };
  });
}

function messageOf(event: Extract<RuntimeEvent, { type: 'message' }>, locale: string): Message {
  const { type: _type, seq: _seq, heard: _heard, spans = [], ...message } = event;
  return {
    ...message,
    ...(event.role === 'character' ? { locale: spans[0]?.locale ?? locale } : {}),
    ...(spans.length < 2 ? {} : { spans }),
  };
}
