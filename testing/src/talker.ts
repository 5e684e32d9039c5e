import { once } from 'node:events';
import { audioFrame, opus, protocolVersion, subprotocol } from '@session-launch/contract/wire';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
type Event = any;

/** A frame of speech. */
export interface Frame {
  utterance: number;
  /** Milliseconds of audio. */
  ms: number;
  /** Where the frame ends, in milliseconds from the start of the utterance. */
  endsAtMs: number;
  isLast: boolean;
}

/**
 * Number of audio frames per `played` message. The runtime sends up to 37 frames ahead and accepts 100 messages per second, so a client
 * that plays instantly must not acknowledge every frame.
 */
const playedEvery = 30;

export interface TalkerOptions {
  localAddress?: string;
  /** Resumes a lost connection: its ticket and the number of its last event. */
  from?: { ticket: string; lastSeq: number };
  /** Asks for speech as Opus. */
  isOpus?: boolean;
}

/** A client of the runtime that reports audio as played when it arrives. */
export class Talker {
  readonly events: Event[] = [];
  readonly ws: WebSocket;
  readonly closed: Promise<number>;
  /** Bytes of all frames. */
  frameBytes = 0;
  /** When each frame arrived, by the clock of this process, in milliseconds. */
  readonly frameTimes: number[] = [];
  readonly #sounded = new Set<number>();
  #mode: string | undefined;
  #sampleRate = 16_000;
  #waiting: (() => void)[] = [];

  constructor(
    url: string,
    token: string,
    headers: Record<string, string> = {},
    { localAddress, from, isOpus = false }: TalkerOptions = {},
  ) {
    this.ws = new WebSocket(url, subprotocol, {
      headers,
      perMessageDeflate: false,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    this.closed = new Promise((resolve) => {
      this.ws.once('close', (code) => {
        resolve(code);
        this.#wake();
      });
    });
    this.ws.on('error', () => {});
    this.ws.on('open', () =>
      this.send({
        type: 'hello',
        protocol: protocolVersion,
        ...(from === undefined ? { token } : { resume: from }),
        client: { name: 'test', version: '1' },
        ...(isOpus ? { audio: { output: ['opus'] } } : {}),
      }),
    );
    this.ws.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#readFrame(data);
      else this.#read(JSON.parse(data.toString()));
      this.#wake();
    });
  }

  get frames(): number {
    return this.frameTimes.length;
  }

  send(message: object): void {
    this.ws.send(JSON.stringify(message));
  }

  /** Resolves with the first matching event, already received or in the future. */
  async event(fits: (event: Event) => boolean): Promise<Event> {
    await this.until(() => this.events.some(fits));
    return this.events.find(fits);
  }

  /** Resolves when the first audio frame of this utterance has arrived. */
  async sound(utterance: number): Promise<void> {
    await this.until(() => this.#sounded.has(utterance));
  }

  ready(): Promise<Event> {
    return this.event(({ type }) => type === 'ready');
  }

  /** Resolves when the character listens. */
  listening(): Promise<void> {
    return this.until(() => this.#mode === 'listening');
  }

  /** Sends a text and returns its id. */
  say(text: string): string {
    const id = crypto.randomUUID();
    this.send({ type: 'text', id, text });
    return id;
  }

  /** Sends a text and resolves with the complete reply. */
  async ask(text: string): Promise<string> {
    const id = this.say(text);
    const mine = await this.event((event) => event.id === id);
    const answer = await this.event(
      (event) => event.role === 'character' && event.status === 'final' && event.seq > mine.seq,
    );
    return answer.text;
  }

  interrupt(): void {
    this.send({ type: 'interrupt' });
  }

  async leave(): Promise<void> {
    if (this.ws.readyState === WebSocket.CONNECTING)
      await Promise.race([once(this.ws, 'open').catch(() => {}), this.closed]);
    this.send({ type: 'bye' });
    await this.closed;
  }

  /** Checks the condition after each message. Rejects if the connection closes first. */
  async until(isMet: () => boolean): Promise<void> {
    while (!isMet()) {
      if (this.ws.readyState === WebSocket.CLOSED)
        throw new Error(`closed with ${await this.closed}; events: ${JSON.stringify(this.events)}`);
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** Called with each frame. Reports it as played. */
  protected play({ utterance, endsAtMs, isLast }: Frame): void {
    if (isLast || this.frames % playedEvery === 0) this.sendPlayed(utterance, endsAtMs, isLast);
  }

  protected sendPlayed(utterance: number, ms: number, isLast: boolean): void {
    this.send({ type: 'played', utterance, ms, ...(isLast ? { done: true } : {}) });
  }

  #read(event: Event): void {
    this.events.push(event);
    if (event.type === 'ready') this.#sampleRate = event.audio.output.sampleRate;
    if (event.type === 'mode') this.#mode = event.mode;
  }

  #readFrame(data: Buffer): void {
    this.frameTimes.push(performance.now());
    const utterance = data.readUInt16LE(audioFrame.utteranceAt);
    this.#sounded.add(utterance);
    const flags = data.readUInt8(audioFrame.flagsAt);
    const isCompressed = (flags & audioFrame.flags.opus) !== 0;
    this.frameBytes += data.length;
    const msOf = (count: number) => (count / this.#sampleRate) * 1000;
    const ms = isCompressed
      ? packetsOf(data) * opus.packetMs
      : msOf((data.length - audioFrame.headerBytes) / 2);
    this.play({
      utterance,
      ms,
      endsAtMs: msOf(data.readUInt32LE(audioFrame.offsetAt)) + ms,
      isLast: (flags & audioFrame.flags.last) !== 0,
    });
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

/** The number of Opus packets in a frame. */
function packetsOf(frame: Buffer): number {
  let packets = 0;
  for (let at = audioFrame.headerBytes; at < frame.length; packets++) at += 2 + frame.readUInt16LE(at);
  return packets;
}
