import type { Duplex } from 'node:stream';
import { bounds } from '@session-launch/contract/runtime/protocol';
import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import type { ClientConnection } from '../conversation/client-connection.ts';
import { type Refusal, tooManyFrames } from '../refusals.ts';
import { TokenBucket } from '../token-bucket.ts';
import { type DeadCause, Heartbeat } from './heartbeat.ts';

/** Why a connection was destroyed: `unsent`, because the unread bytes exceeded `bounds.unsentBytes`. */
export type CutCause = DeadCause | 'unsent';

export interface ConnectionCalls {
  text(json: string): void;
  audio(frame: Uint8Array): void;
  /** Called at most once when the connection closes; not called after `close()`. `isClean` if the client closed deliberately. */
  closed(isClean: boolean): void;
  /** Sends the refusal as a numbered event of the conversation. Absent before the conversation exists. */
  refused?(refusal: Refusal): void;
  /** Called for each text or binary frame, before `text` or `audio`. */
  received?(): void;
  /** Called at most once, before the connection is destroyed and `closed` is called. */
  cut?(cause: CutCause): void;
}

/** Milliseconds for the peer to complete the close handshake. */
const closingMs = 3000;
/** Maximum frames that are read and ignored during the close handshake; beyond it, the socket is destroyed. */
const framesWhileClosing = 10_000;

const framesBeforeReady = {
  perSecond: bounds.framesPerSecond,
  burst: bounds.framesPerSecond,
  credit: bounds.framesPerSecond,
};

/** A connection whose messages and events are those of session.v1, in whichever protocol they are sent. */
export interface SessionConnection extends ClientConnection {
  listen(calls: ConnectionCalls, frames?: TokenBucket): void;
  /** Stops reading from the socket until `resume`. */
  pause(): void;
  resume(): void;
  /** Destroys the socket without a close handshake. */
  destroy(): void;
}

/** One WebSocket: limits and dispatches incoming frames, sends, and detects a peer that is disconnected or does not read. */
export class Connection implements SessionConnection {
  readonly #ws: WebSocket;
  readonly #socket: Pick<Duplex, 'cork' | 'uncork'>;
  readonly #clock: Clock;
  readonly #heartbeat: Heartbeat;
  #frames: TokenBucket;
  #framesWhileClosing = 0;
  #calls: ConnectionCalls | undefined;
  #sent = 0;
  #isClosed = false;
  #isCut = false;
  #isCorked = false;
  #cancelTermination: () => void = () => {};

  /** `cleanCodes`: the close codes of clients that leave deliberately. */
  constructor(
    ws: WebSocket,
    socket: Pick<Duplex, 'cork' | 'uncork'>,
    clock: Clock,
    cleanCodes: readonly number[] = [1000],
  ) {
    this.#ws = ws;
    this.#socket = socket;
    this.#clock = clock;
    this.#frames = new TokenBucket(clock, framesBeforeReady);
    this.#heartbeat = new Heartbeat(clock, {
      ping: () => ws.ping(),
      unsent: () => this.unsent,
      drained: () => this.#sent - this.unsent,
      dead: (cause) => this.#cut(cause),
    });
    ws.on('message', (data, isBinary) => this.#message(data as Buffer, isBinary));
    // The server is created with `autoPong: false`: pings count as frames, and a peer that does not read pongs is disconnected.
    ws.on('ping', (data) => {
      if (this.#allowsFrame()) this.#send(data.byteLength, () => ws.pong(data));
    });
    ws.on('pong', () => this.#allowsFrame());
    // The `close` event follows and is handled below.
    ws.on('error', () => {});
    ws.on('close', (code) => {
      this.#cancelTermination();
      this.#markClosed(cleanCodes.includes(code));
    });
  }

  /** Replaces the callbacks and, for a conversation, the rate limit of frames. */
  listen(calls: ConnectionCalls, frames = this.#frames): void {
    this.#calls = calls;
    this.#frames = frames;
  }

  get unsent(): number {
    return this.#ws.bufferedAmount;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  sendText(json: string): void {
    this.#send(Buffer.byteLength(json), () => this.#ws.send(json));
  }

  sendAudio(frame: Uint8Array): void {
    this.#send(frame.byteLength, () => this.#ws.send(frame));
  }

  pause(): void {
    this.#ws.pause();
  }

  resume(): void {
    this.#ws.resume();
  }

  /** Closes the connection without calling `closed`. */
  close(code: number, reason: string): void {
    this.#calls = undefined;
    this.#startClose(code, reason);
  }

  /** Sends the refusal as a fatal error and closes the connection. */
  refuse(refusal: Refusal): void {
    if (this.#isClosed) return;
    const { closeCode, code, message } = refusal;
    if (this.#calls?.refused !== undefined) this.#calls.refused(refusal);
    else this.sendText(JSON.stringify({ type: 'error', seq: 1, code, message, fatal: true }));
    this.#startClose(closeCode, code);
  }

  destroy(): void {
    this.#ws.terminate();
  }

  /** Sends one frame. Terminates the connection if the unread bytes exceed `bounds.unsentBytes`. */
  #send(payload: number, send: () => void): void {
    if (this.#isClosed) return;
    // Includes the frame header, as `unsent` does; otherwise each buffered frame would lower `drained`, and a peer that reads slowly would
    // look stalled.
    this.#sent += payload + (payload < 126 ? 2 : payload < 65_536 ? 4 : 10);
    this.#corkForOneTick();
    send();
    if (this.unsent > bounds.unsentBytes) this.#cut('unsent');
  }

  #cut(cause: CutCause): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#calls?.cut?.(cause);
    this.#ws.terminate();
  }

  /** Corks the socket for one tick, so that its frames are written with one system call. */
  #corkForOneTick(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }

  #startClose(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#markClosed(false);
    this.#ws.close(code, reason);
    this.#cancelTermination = this.#clock.after(closingMs, () => this.#ws.terminate());
  }

  #markClosed(isClean: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#heartbeat.stop();
    this.#calls?.closed(isClean);
    this.#calls = undefined;
  }

  #message(data: Buffer, isBinary: boolean): void {
    if (!this.#allowsFrame()) return;
    this.#calls?.received?.();
    if (isBinary) this.#calls?.audio(data);
    else this.#calls?.text(data.toString());
  }

  /** Counts a frame of any kind. Refuses the connection and returns `false` if the limit is exceeded. */
  #allowsFrame(): boolean {
    if (this.#isClosed) {
      if (++this.#framesWhileClosing > framesWhileClosing) this.#ws.terminate();
      return false;
    }
    this.#heartbeat.beat();
    if (this.#frames.take()) return true;
    this.refuse(tooManyFrames());
    return false;
  }
}
