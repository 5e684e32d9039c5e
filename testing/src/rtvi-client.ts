import { once } from 'node:events';
import { ProtobufFrameSerializer } from '@pipecat-ai/websocket-transport';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely
export type RtviMessage = { id: string; label: string; type: string; data: any };

export interface RtviOptions {
  origin?: string;
  /** The address that a trusted proxy would report. */
  address?: string;
  headers?: Record<string, string>;
}

/** A client over a real socket that encodes and decodes frames with Pipecat's own serializer. */
export class RtviClient {
  readonly messages: RtviMessage[] = [];
  /** Samples of each audio frame, in the order of arrival, and the number of messages that arrived before it. */
  readonly audio: { samples: Int16Array; after: number; at: number }[] = [];
  readonly ws: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #serializer = new ProtobufFrameSerializer();
  #reading = Promise.resolve();
  #waiting: (() => void)[] = [];

  constructor(url: string, { origin, address, headers = {} }: RtviOptions = {}) {
    this.ws = new WebSocket(url, {
      ...(origin === undefined ? {} : { origin }),
      headers: { ...headers, ...(address === undefined ? {} : { 'X-Forwarded-For': address }) },
      perMessageDeflate: false,
    });
    this.closed = new Promise((resolve) => {
      this.ws.once('close', async (code, reason) => {
        await this.#reading;
        resolve({ code, reason: reason.toString() });
        this.#wake();
      });
    });
    this.ws.on('error', () => {});
    this.ws.on('message', (data: Buffer) => {
      const at = performance.now();
      this.#reading = this.#reading.then(() => this.#read(data, at));
    });
  }

  async opened(): Promise<this> {
    if (this.ws.readyState !== WebSocket.OPEN) await once(this.ws, 'open');
    return this;
  }

  send(type: string, data: unknown = {}, id = crypto.randomUUID().slice(0, 8)): string {
    this.sendMessage({ id, label: 'rtvi-ai', type, data });
    return id;
  }

  sendMessage(message: object): void {
    this.ws.send(this.#serializer.serializeMessage(message as never));
  }

  sendAudio(samples: Int16Array, sampleRate = 16_000, channels = 1): void {
    const { buffer, byteOffset, byteLength } = samples;
    const copy = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    this.ws.send(this.#serializer.serializeAudio(copy, sampleRate, channels));
  }

  ready(): string {
    return this.send('client-ready', {
      version: '2.1.0',
      about: { library: '@pipecat-ai/client-js', library_version: '1.13.1' },
    });
  }

  /** Resolves with the first matching message at or after an index, already received or in the future. */
  async message(
    type: string,
    fits: (message: RtviMessage) => boolean = () => true,
    from = 0,
  ): Promise<RtviMessage> {
    const find = () => this.messages.slice(from).find((one) => one.type === type && fits(one));
    await this.until(() => find() !== undefined, type);
    return find()!;
  }

  /** Checks the condition after each message. Rejects if the connection closes first. */
  async until(isMet: () => boolean, what = 'it'): Promise<void> {
    while (!isMet()) {
      if (this.ws.readyState === WebSocket.CLOSED && !isMet()) {
        const { code } = await this.closed;
        if (isMet()) return;
        throw new Error(`closed with ${code} before ${what}: ${JSON.stringify(this.messages)}`);
      }
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  get story(): string[] {
    return this.messages.map(({ type, data }) => (type === 'server-message' ? data.type : type));
  }

  async #read(data: Buffer, at: number): Promise<void> {
    const read = await this.#serializer.deserialize(new Blob([new Uint8Array(data)]));
    if (read.type === 'audio') this.audio.push({ samples: read.audio, after: this.messages.length, at });
    else this.messages.push(read.message as RtviMessage);
    this.#wake();
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
