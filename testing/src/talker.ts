import { once } from 'node:events';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
type Event = any;

/**
 * Number of audio frames per `played` message. The runtime sends up to 37 frames ahead and accepts 100 messages per second, so a client
 * that plays instantly must not acknowledge every frame.
 */
const playedEvery = 30;

/** A client of the runtime that reports audio as played when it arrives. */
export class Talker {
  readonly events: Event[] = [];
  readonly ws: WebSocket;
  readonly closed: Promise<number>;
  frames = 0;
  readonly #sounded = new Set<number>();
  #wake: () => void = () => {};

  /** `from` resumes a lost connection: its ticket and the number of its last event. */
  constructor(
    url: string,
    token: string,
    headers: Record<string, string> = {},
    { localAddress, from }: { localAddress?: string; from?: { ticket: string; lastSeq: number } } = {},
  ) {
    this.ws = new WebSocket(url, 'session.v1', {
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
        protocol: 1,
        ...(from === undefined ? { token } : { resume: from }),
        client: { name: 'test', version: '1' },
      }),
    );
    this.ws.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#play(data);
      else this.events.push(JSON.parse(data.toString()));
      this.#wake();
    });
  }

  send(message: object): void {
    this.ws.send(JSON.stringify(message));
  }

  /** Resolves with the first matching event, already received or in the future. */
  async event(fits: (event: Event) => boolean): Promise<Event> {
    await this.#until(() => this.events.some(fits));
    return this.events.find(fits);
  }

  /** Resolves when the first audio frame of this utterance has arrived. */
  async sound(utterance: number): Promise<void> {
    await this.#until(() => this.#sounded.has(utterance));
  }

  ready(): Promise<Event> {
    return this.event(({ type }) => type === 'ready');
  }

  /** Sends a text and resolves with the complete reply. */
  async ask(text: string): Promise<string> {
    const id = crypto.randomUUID();
    this.send({ type: 'text', id, text });
    const mine = await this.event((event) => event.id === id);
    const answer = await this.event(
      (event) => event.role === 'character' && event.status === 'final' && event.seq > mine.seq,
    );
    return answer.text;
  }

  async leave(): Promise<void> {
    if (this.ws.readyState === WebSocket.CONNECTING) await once(this.ws, 'open');
    this.send({ type: 'bye' });
    await this.closed;
  }

  /** Checks the condition after each message. Rejects if the connection closes first. */
  async #until(isMet: () => boolean): Promise<void> {
    while (!isMet()) {
      if (this.ws.readyState === WebSocket.CLOSED)
        throw new Error(`closed; events: ${JSON.stringify(this.events)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #play(frame: Buffer): void {
    this.frames++;
    this.#sounded.add(frame.readUInt16LE(2));
    const isDone = frame.readUInt8(1) === 1;
    if (!isDone && this.frames % playedEvery !== 0) return;
    const ms = (frame.readUInt32LE(4) + (frame.length - 8) / 2) / 16;
    this.send({ type: 'played', utterance: frame.readUInt16LE(2), ms, ...(isDone ? { done: true } : {}) });
  }
}
