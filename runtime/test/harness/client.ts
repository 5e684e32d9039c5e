import { once } from 'node:events';
import {
  type ClientMessage,
  type RuntimeEvent,
  runtimeEvents,
  subprotocol,
} from '@session-launch/contract/runtime/protocol';
import { Compile } from 'typebox/compile';
import { WebSocket } from 'ws';

const checks = new Map(Object.entries(runtimeEvents).map(([type, schema]) => [type, Compile(schema)]));

export interface ClientOptions {
  origin?: string;
  protocols?: string[];
  /** The address that a trusted proxy would report; each one is a separate client network. */
  address?: string;
  /** Whether the client reports audio as played when it arrives. */
  plays?: boolean;
  /** The formats in `hello`. */
  audio?: { output?: string[]; input?: string[] };
}

/** A client over a real socket. Validates every event against the protocol. */
export class Client {
  readonly events: RuntimeEvent[] = [];
  readonly frames: Buffer[] = [];
  readonly problems: string[] = [];
  readonly ws: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  #wake: () => void = () => {};

  constructor(url: string, { origin, protocols = [subprotocol], address, plays = true }: ClientOptions = {}) {
    this.ws = new WebSocket(url, protocols, {
      ...(origin === undefined ? {} : { origin }),
      ...(address === undefined ? {} : { headers: { 'X-Forwarded-For': address } }),
      perMessageDeflate: false,
    });
    this.closed = new Promise((resolve) => {
      this.ws.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#wake();
      });
    });
    this.ws.on('error', () => {});
    this.ws.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#hear(data, plays);
      else this.#read(data.toString());
      this.#wake();
    });
  }

  async opened(): Promise<this> {
    if (this.ws.readyState !== WebSocket.OPEN) await once(this.ws, 'open');
    return this;
  }

  send(message: ClientMessage | Record<string, unknown> | string): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  hello(more: Record<string, unknown>): void {
    this.send({ type: 'hello', protocol: 1, client: { name: 'test', version: '1' }, ...more });
  }

  /** Resolves with the first matching event at or after an index, already received or in the future. */
  async event<T extends RuntimeEvent['type']>(
    type: T,
    fits: (event: Extract<RuntimeEvent, { type: T }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<RuntimeEvent, { type: T }>> {
    for (;;) {
      const found = this.events
        .slice(from)
        .find(
          (event): event is Extract<RuntimeEvent, { type: T }> => event.type === type && fits(event as never),
        );
      if (found !== undefined) return found;
      if (this.ws.readyState === WebSocket.CLOSED)
        throw new Error(`closed before ${type}: ${this.story.join(' ')}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Sends a text and resolves with the complete reply. */
  async ask(text: string, id = `m${Math.random()}`): Promise<string> {
    this.send({ type: 'text', id, text });
    const mine = await this.event('message', (message) => message.id === id);
    const from = this.events.indexOf(mine);
    const answer = await this.event(
      'message',
      ({ role, status }) => role === 'character' && status === 'final',
      from,
    );
    return answer.text;
  }

  /** Resolves when the runtime has handled every message sent before this call. */
  async handled(): Promise<void> {
    const t = Math.random();
    this.send({ type: 'ping', t });
    await this.event('pong', (pong) => pong.t === t);
  }

  get story(): string[] {
    return this.events.map((event) => (event.type === 'mode' ? event.mode : event.type));
  }

  #read(json: string): void {
    const event = JSON.parse(json) as RuntimeEvent;
    if (!checks.get(event.type)?.Check(event)) this.problems.push(json);
    this.events.push(event);
  }

  #hear(frame: Buffer, plays: boolean): void {
    this.frames.push(frame);
    if (!plays) return;
    const { sampleRate } = this.events.find((event) => event.type === 'ready')!.audio.output;
    const samples = (frame.readUInt8(1) & 2) === 0 ? (frame.length - 8) / 2 : 0;
    const ms = (frame.readUInt32LE(4) + samples) / (sampleRate / 1000);
    const isDone = (frame.readUInt8(1) & 1) === 1;
    // Not for every frame: the runtime limits the number of client messages per second.
    if (isDone || this.frames.length % 10 === 0)
      this.send({ type: 'played', utterance: frame.readUInt16LE(2), ms, ...(isDone ? { done: true } : {}) });
  }
}
