import { once } from 'node:events';
import { audioFrame, type RuntimeEvent, subprotocol } from '@session-launch/contract/runtime/protocol';
import { WebSocket } from 'ws';
import type { Launch } from '../runtimes.ts';

type EventOf<T extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: T }>;

export interface Frame {
  utterance: number;
  samples: Int16Array;
  /** Time of receipt by the clock of this process, in milliseconds. */
  at: number;
}

const playedEveryMs = 250;
/** Frames between two `played` messages: a runtime sends 1.5 s ahead and accepts a hundred messages a second. */
const playedEveryFrames = 30;

/** A runtime client that plays audio in real time, or reports it as played on receipt. */
export class Listener {
  readonly opened: Promise<unknown>;
  readonly closed: Promise<number>;
  readonly frames: Frame[] = [];
  readonly events: RuntimeEvent[] = [];
  readonly #ws: WebSocket;
  readonly #isHasty: boolean;
  #mode: EventOf<'mode'>['mode'] | undefined;
  #sampleRate = 16_000;
  #playing: { utterance: number; untilMs: number; endsAt: number; isWhole: boolean }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #wake: () => void = () => {};

  constructor(url: string, token: string, { isHasty = false } = {}) {
    this.#isHasty = isHasty;
    this.#ws = new WebSocket(url, subprotocol, { perMessageDeflate: false });
    this.closed = new Promise((resolve) => {
      this.#ws.once('close', (code) => {
        clearInterval(this.#timer);
        resolve(code);
        this.#wake();
      });
    });
    this.#ws.on('error', () => {});
    this.opened = once(this.#ws, 'open');
    this.opened.catch(() => {});
    this.#ws.on('open', () => {
      const client = { name: 'bench', version: '1' };
      this.#send({ type: 'hello', protocol: 1, token, client });
      if (!this.#isHasty) this.#timer = setInterval(() => this.#tell(), playedEveryMs);
    });
    this.#ws.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#frame(data);
      else this.#event(JSON.parse(data.toString()));
      this.#wake();
    });
  }

  /** Resolves with the first matching event at or after the index `from`. */
  async event<T extends RuntimeEvent['type']>(
    type: T,
    fits: (event: EventOf<T>) => boolean = () => true,
    from = 0,
  ): Promise<EventOf<T>> {
    const isIt = (event: RuntimeEvent): event is EventOf<T> =>
      event.type === type && fits(event as EventOf<T>);
    for (;;) {
      const found = this.events.slice(from).find(isIt);
      if (found !== undefined) return found;
      await this.#next();
    }
  }

  /** Resolves when the character listens. */
  async listening(): Promise<void> {
    while (this.#mode !== 'listening') await this.#next();
  }

  /** Sends a text; returns the milliseconds until the first audio of the answer. */
  async ask(text: string): Promise<number> {
    const began = performance.now();
    const heard = this.frames.length;
    this.say(text);
    while (this.frames.length === heard) await this.#next();
    return this.frames[heard]!.at - began;
  }

  say(text: string): void {
    this.#send({ type: 'text', id: crypto.randomUUID(), text });
  }

  interrupt(): void {
    this.#playing = [];
    this.#send({ type: 'interrupt' });
  }

  async leave(): Promise<void> {
    await Promise.race([this.opened.catch(() => {}), this.closed]);
    if (this.#ws.readyState === WebSocket.OPEN) this.#send({ type: 'bye' });
    await this.closed;
  }

  async #next(): Promise<void> {
    if (this.#ws.readyState === WebSocket.CLOSED)
      throw new Error(`the runtime closed with ${await this.closed}`);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  #event(event: RuntimeEvent): void {
    this.events.push(event);
    if (event.type === 'ready') this.#sampleRate = event.audio.output.sampleRate;
    if (event.type === 'mode') this.#mode = event.mode;
    if (event.type === 'interrupted') this.#playing = [];
  }

  #frame(data: Buffer): void {
    const samples = new Int16Array(Uint8Array.from(data.subarray(audioFrame.headerBytes)).buffer);
    const utterance = data.readUInt16LE(audioFrame.utteranceAt);
    const at = performance.now();
    this.frames.push({ utterance, samples, at });
    const untilMs = ((data.readUInt32LE(audioFrame.offsetAt) + samples.length) / this.#sampleRate) * 1000;
    const isWhole = data.readUInt8(audioFrame.flagsAt) === audioFrame.flags.last;
    const begins = Math.max(at, this.#playing.at(-1)?.endsAt ?? 0);
    this.#playing.push({
      utterance,
      untilMs,
      isWhole,
      endsAt: begins + (samples.length / this.#sampleRate) * 1000,
    });
    if (this.#isHasty && (isWhole || this.#playing.length >= playedEveryFrames))
      this.#tell(Number.POSITIVE_INFINITY);
  }

  /** Reports playback progress, if there is any. */
  #tell(now = performance.now()): void {
    const over = this.#playing.filter(({ endsAt }) => endsAt <= now);
    this.#playing = this.#playing.slice(over.length);
    const last = over.at(-1);
    if (last === undefined) return;
    const { utterance, untilMs: ms, isWhole } = last;
    this.#send({ type: 'played', utterance, ms, ...(isWhole ? { done: true } : {}) });
  }

  #send(message: object): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.send(JSON.stringify(message));
  }
}

/** The WebSocket URL of a service's runtime. */
export const runtimeUrl = (serviceUrl: string) => `${serviceUrl.replace('http', 'ws')}/runtime`;

/** Connects a client and starts its session. */
export async function connected(
  serviceUrl: string,
  { sessionToken }: Launch,
  options?: { isHasty?: boolean },
): Promise<Listener> {
  const listener = new Listener(runtimeUrl(serviceUrl), sessionToken, options);
  await listener.event('ready');
  return listener;
}
