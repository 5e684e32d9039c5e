import type { Duplex } from 'node:stream';
import { bounds } from '@session-launch/contract/runtime/protocol';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { Line } from '../conversation/line.ts';
import { Pulse } from './pulse.ts';
import { RateWindow } from './rate-window.ts';
import { type Refusal, tooManyFrames } from './refusals.ts';

export interface ConnectionCalls {
  text(json: string): void;
  audio(frame: Uint8Array): void;
  /** Once, whoever closed it. `isClean` when the client said goodbye properly. */
  closed(isClean: boolean): void;
  /** Tells the client why it is sent away, where that has a place among other events. */
  refused?(refusal: Refusal): void;
}

/** How long a peer may take to close its side. */
const closingMs = 3000;
/** Engines pause long before; this is for a peer that takes one byte now and then and is told ever more. */
const mostUnsentBytes = 4 * 1024 * 1024;

/** One WebSocket: what comes in, within bounds; what goes out; and whether anybody is still there. */
export class Connection implements Line {
  readonly #ws: WebSocket;
  readonly #socket: Pick<Duplex, 'cork' | 'uncork'>;
  readonly #clock: Clock;
  readonly #frames: RateWindow;
  readonly #pulse: Pulse;
  #calls: ConnectionCalls | undefined;
  #sent = 0;
  #isClosed = false;
  #isCorked = false;
  #cancelTermination: () => void = () => {};

  constructor(ws: WebSocket, socket: Pick<Duplex, 'cork' | 'uncork'>, clock: Clock) {
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
    this.#frames = new RateWindow(clock, bounds.framesPerSecond, 1000);
    this.#pulse = new Pulse(clock, {
      ping: () => ws.ping(),
      unsent: () => this.unsent,
      drained: () => this.#sent - this.unsent,
      dead: () => ws.terminate(),
    });
    ws.on('message', (data, isBinary) => this.#message(data as Buffer, isBinary));
    ws.on('pong', () => this.#pulse.beat());
    // A close follows, and tells all that matters.
    ws.on('error', () => {});
    ws.on('close', (code) => {
      this.#cancelTermination();
      this.#over(code === 1000);
    });
  }

  /** Who listens from now on. */
  listen(calls: ConnectionCalls): void {
    this.#calls = calls;
  }

  get unsent(): number {
    return this.#ws.bufferedAmount;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  sendText(json: string): void {
    if (this.#isClosed) return;
    this.#count(Buffer.byteLength(json));
    this.#ws.send(json);
    if (this.unsent > mostUnsentBytes) this.#ws.terminate();
  }

  sendAudio(frame: Uint8Array): void {
    if (this.#isClosed) return;
    this.#count(frame.byteLength);
    this.#ws.send(frame);
  }

  /** Nothing more is read until it is resumed. */
  pause(): void {
    this.#ws.pause();
  }

  resume(): void {
    this.#ws.resume();
  }

  /** Our side of the conversation is over: nobody is told. */
  close(code: number, reason: string): void {
    this.#calls = undefined;
    this.#shut(code, reason);
  }

  /** Says why, and goes. */
  refuse(refusal: Refusal): void {
    if (this.#isClosed) return;
    const { closeCode, code, message } = refusal;
    if (this.#calls?.refused !== undefined) this.#calls.refused(refusal);
    else this.sendText(JSON.stringify({ type: 'error', seq: 1, code, message, fatal: true }));
    this.#shut(closeCode, code);
  }

  /** Counts a frame as `unsent` does, with its header; otherwise each one would look as if the peer had taken something. */
  #count(payload: number): void {
    this.#sent += payload + (payload < 126 ? 2 : payload < 65_536 ? 4 : 10);
    this.#together();
  }

  /** What is sent in one go travels in one write: with a system call for each frame, those would be most of the work. */
  #together(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }

  #shut(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#over(false);
    this.#ws.close(code, reason);
    this.#cancelTermination = this.#clock.after(closingMs, () => this.#ws.terminate());
  }

  #over(isClean: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pulse.stop();
    this.#calls?.closed(isClean);
    this.#calls = undefined;
  }

  #message(data: Buffer, isBinary: boolean): void {
    if (this.#isClosed) return;
    this.#pulse.beat();
    if (!this.#frames.allows()) this.refuse(tooManyFrames());
    else if (isBinary) this.#calls?.audio(data);
    else this.#calls?.text(data.toString());
  }
}
