import type { TransportContext } from '../src/types.ts';
import { manifest } from './fake-environment.ts';

/** A WebSocket in which the test takes the role of the peer. */
export class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readonly sent: { type: string; [field: string]: unknown }[] = [];
  readyState = FakeSocket.OPEN;
  bufferedAmount = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { type: string; data: unknown }) => void) | null = null;
  onclose: ((event: { type: string; code: number; reason: string }) => void) | null = null;

  constructor() {
    FakeSocket.all.push(this);
    queueMicrotask(() => this.onopen?.());
  }

  static get last(): FakeSocket {
    return FakeSocket.all.at(-1)!;
  }

  send(data: string | ArrayBuffer): void {
    if (typeof data === 'string') this.sent.push(JSON.parse(data));
  }

  close(): void {
    this.readyState = 3;
  }

  tell(...events: object[]): void {
    for (const event of events) this.onmessage?.({ type: 'message', data: JSON.stringify(event) });
  }

  /** Sends `ready`, as the runtime does when it accepts the client. */
  welcome(over: { seq?: number; hearing?: string; speech?: string; resumed?: boolean } = {}): void {
    const { seq = 1, hearing = 'none', speech = 'server', resumed = false } = over;
    this.tell({
      type: 'ready',
      seq,
      resumed,
      resumeTicket: `ticket ${seq}`,
      audio: { output: { sampleRate: 16_000 } },
      engines: { mind: { kind: 'script' }, speech: { kind: speech }, hearing: { kind: hearing } },
      limits: { heartbeatSeconds: 15 },
    });
  }

  breaks(code = 1006): void {
    this.close();
    this.onclose?.({ type: 'close', code, reason: '' });
  }
}

/** The context of a transport, and a list of the calls that it receives. */
export function fakeContext(audio?: object) {
  const told: { told: string; of?: unknown }[] = [];
  const tell = (name: string) => (of?: unknown) => void told.push({ told: name, of });
  const names = ['mode', 'message', 'video', 'cue', 'event', 'dropped', 'resumed', 'closed'];
  const sink = Object.fromEntries(names.map((name) => [name, tell(name)]));
  const controller = new AbortController();
  const { signal } = controller;
  const context = { manifest: manifest(), signal, audio, sdkUrl: '/sdk/v2/', sink };
  const events = (type: string) =>
    told.filter(({ of }) => (of as { type?: string } | undefined)?.type === type).map(({ of }) => of);
  return { context: context as unknown as TransportContext, told, events, end: () => controller.abort() };
}
