import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionManifest } from '@session-launch/contract/manifest';
import { audioFrame, type RuntimeEvent, subprotocol } from '@session-launch/contract/runtime/protocol';
import { WebSocket } from 'ws';
import { CliFailure } from '../terminal/failure.ts';

export type Launch = Pick<SessionManifest, 'sessionToken' | 'transport' | 'characters'>;

type Ready = Extract<RuntimeEvent, { type: 'ready' }>;

/** Milliseconds without a message after which the runtime counts as dead. */
const silenceMs = 30_000;
/** Milliseconds to wait for the runtime to close the connection after an interrupt. */
const closeTimeoutMs = 700;
/** Milliseconds between two frames: real time, because a runtime rejects faster audio. */
const framePauseMs = audioFrame.milliseconds;

/** A `session.v1` client without playback: it reports audio as played on receipt. */
export class Caller {
  readonly #ws: WebSocket;
  readonly #audio: Int16Array[] = [];
  readonly #onEvent: (event: RuntimeEvent) => void;
  #ready: Ready | undefined;
  #mode: string | undefined;
  #error: Error | undefined;
  #isClosed = false;
  /** Callbacks for the next change; several waits may be pending. */
  readonly #waiting: (() => void)[] = [];

  constructor({ sessionToken, transport }: Launch, onEvent: (event: RuntimeEvent) => void) {
    if (transport.type !== 'websocket')
      throw new CliFailure(
        `the experience has a transport of type ${transport.type}; talk supports only websocket`,
      );
    this.#onEvent = onEvent;
    this.#ws = new WebSocket(transport.url, subprotocol, {
      perMessageDeflate: false,
      handshakeTimeout: silenceMs,
    });
    this.#ws.on('open', () =>
      this.send({
        type: 'hello',
        protocol: 1,
        token: sessionToken,
        client: { name: 'session-launch talk', version: '1' },
      }),
    );
    this.#ws.on('message', (data: Buffer, isBinary) => (isBinary ? this.#readAudio(data) : this.#read(data)));
    this.#ws.on('error', (error) => {
      this.#error ??= new CliFailure(`cannot reach the runtime at ${transport.url}: ${error.message}`);
    });
    this.#ws.on('close', (code, reason) => {
      this.#isClosed = true;
      if (code !== 1000)
        this.#error ??= new CliFailure(`the runtime closed the connection: ${code} ${reason}`);
      this.#wake();
    });
  }

  get ready(): Ready | undefined {
    return this.#ready;
  }

  /** All audio received so far, concatenated. */
  get spoken(): Int16Array {
    const whole = new Int16Array(this.#audio.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of this.#audio) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  /** Resolves when the character listens; rejects if the connection closes first. */
  async untilListening(): Promise<void> {
    while (this.#mode !== 'listening') await this.#change();
  }

  async say(text: string): Promise<void> {
    this.#mode = undefined;
    this.send({ type: 'text', id: crypto.randomUUID(), text });
    await this.untilListening();
  }

  /** Sends a recording as push-to-talk audio. */
  async speak(samples: Int16Array): Promise<void> {
    if (this.#ready?.engines.hearing.kind !== 'server')
      throw new CliFailure('this runtime does not accept audio: set HEARING=openai, or use --text');
    const perFrame = (audioFrame.inputSampleRate * audioFrame.milliseconds) / 1000;
    this.send({ type: 'audio.start' });
    for (let at = 0; at < samples.length && !this.#isClosed; at += perFrame) {
      const part = samples.subarray(at, at + perFrame);
      const frame = Buffer.alloc(audioFrame.headerBytes + part.byteLength);
      frame.writeUInt8(audioFrame.kinds.user, audioFrame.kindAt);
      frame.writeUInt32LE(at, audioFrame.offsetAt);
      Buffer.from(part.buffer, part.byteOffset, part.byteLength).copy(frame, audioFrame.headerBytes);
      this.#ws.send(frame);
      await sleep(framePauseMs);
    }
    this.#mode = undefined;
    this.send({ type: 'audio.end' });
    await this.untilListening();
  }

  /** Sends `bye` and waits until the runtime has closed the connection. */
  async leave(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#ws.readyState === WebSocket.OPEN) this.send({ type: 'bye' });
    else this.#ws.close();
    while (!this.#isClosed) await this.#change();
  }

  /** Sends `bye`, and terminates the connection after `closeTimeoutMs` if the runtime has not closed it. */
  async hangUp(): Promise<void> {
    const timer = setTimeout(() => this.#ws.terminate(), closeTimeoutMs);
    await this.leave().catch(() => {});
    clearTimeout(timer);
  }

  send(message: object): void {
    this.#ws.send(JSON.stringify(message));
  }

  #read(data: Buffer): void {
    const event = JSON.parse(data.toString()) as RuntimeEvent;
    if (event.type === 'ready') this.#ready = event;
    if (event.type === 'mode') this.#mode = event.mode;
    if (event.type === 'utterance' && event.speech === 'client')
      this.send({ type: 'played', utterance: event.utterance, ms: 0, done: true });
    if (event.type === 'error' && event.fatal) this.#error ??= new CliFailure(event.message);
    this.#onEvent(event);
    this.#wake();
  }

  #readAudio(frame: Buffer): void {
    const bytes = Uint8Array.from(frame.subarray(audioFrame.headerBytes));
    const samples = new Int16Array(bytes.buffer);
    this.#audio.push(samples);
    const rate = this.#ready?.audio.output.sampleRate ?? audioFrame.inputSampleRate;
    const ms = ((frame.readUInt32LE(audioFrame.offsetAt) + samples.length) / rate) * 1000;
    const isLast = (frame.readUInt8(audioFrame.flagsAt) & audioFrame.flags.last) !== 0;
    // Reports every tenth frame, to stay within the runtime's frame limit.
    if (isLast || this.#audio.length % 10 === 0)
      this.send({ type: 'played', utterance: frame.readUInt16LE(audioFrame.utteranceAt), ms, done: isLast });
    this.#wake();
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** Resolves at the next message or when the connection closes; rejects if it is closed already or silent for too long. */
  async #change(): Promise<void> {
    if (this.#isClosed) throw this.#error ?? new CliFailure('the session has ended');
    const isSilent = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(true), silenceMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve(false);
      });
    });
    if (!isSilent) return;
    this.#ws.terminate();
    throw new CliFailure(`the runtime has sent nothing for ${silenceMs / 1000} seconds`);
  }
}
