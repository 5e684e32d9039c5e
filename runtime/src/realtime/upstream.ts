import { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { EngineError } from '../endpoint.ts';
import { readEvent, type ServerEvent } from './events.ts';

/** A realtime model and how to reach it. */
export interface UpstreamTarget {
  url: string;
  apiKey: string | undefined;
  model: string;
}

export interface UpstreamCalls {
  event(event: ServerEvent): void;
  /** The connection is closed: by the other side, because of an invalid event, or by `fail`. Not called after `close`. */
  lost(error: Error): void;
}

/** The connection failed. Another one may work. */
export class LostConnection extends EngineError {}

/** Milliseconds until the connection is open and the model has accepted the session. */
const openMs = 8000;
/** Maximum bytes of an event. */
const maxPayload = 4 * 1024 * 1024;

const refusals: Record<number, string> = {
  401: ': the key is missing or wrong',
  403: ': the key lacks the permission',
  404: ': check the address and the model',
  429: ': too many requests',
};

/** One WebSocket connection to a realtime model. Opens itself and configures the session. */
export class Upstream {
  /** Resolves when the model has accepted the session. */
  readonly ready: Promise<void>;
  readonly #ws: WebSocket;
  readonly #calls: UpstreamCalls;
  readonly #cancelTimeout: () => void;
  #accept: () => void = () => {};
  #reject: (error: Error) => void = () => {};
  #configuredBy: string | undefined;
  #events = 0;
  #isClosed = false;

  constructor(clock: Clock, target: UpstreamTarget, session: object, calls: UpstreamCalls) {
    this.#calls = calls;
    this.ready = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#reject = reject;
    });
    this.ready.catch(() => {});
    this.#cancelTimeout = clock.after(openMs, () =>
      this.fail(new LostConnection(0, 'the realtime model did not accept a session in time')),
    );
    const url = new URL(target.url);
    url.searchParams.set('model', target.model);
    this.#ws = new WebSocket(url, {
      headers: credentials(url, target.apiKey),
      perMessageDeflate: false,
      maxPayload,
      followRedirects: false,
    });
    this.#ws.on('open', () => {
      this.#configuredBy = this.send({ type: 'session.update', session });
    });
    this.#ws.on('message', (data: Buffer, isBinary) => this.#receive(isBinary ? undefined : data.toString()));
    this.#ws.on('unexpected-response', (request, { statusCode = 0 }) => {
      const message = `the realtime model answered ${statusCode}${refusals[statusCode] ?? ''}`;
      this.fail(
        statusCode >= 500 ? new LostConnection(statusCode, message) : new EngineError(statusCode, message),
      );
      request.destroy();
    });
    this.#ws.on('error', (error: Error & { code?: string }) =>
      this.fail(
        new LostConnection(0, `the connection to the realtime model failed: ${error.code ?? error.name}`),
      ),
    );
    this.#ws.on('close', (code) =>
      this.fail(new LostConnection(0, `the realtime model closed the connection with code ${code}`)),
    );
  }

  /** Whether events can be sent. */
  get isOpen(): boolean {
    return !this.#isClosed && this.#ws.readyState === WebSocket.OPEN;
  }

  /** Sends an event and returns its id, to which an `error` of the model refers. */
  send(event: { type: string; [field: string]: unknown }): string {
    const id = `event_${++this.#events}`;
    if (this.isOpen) this.#ws.send(JSON.stringify({ event_id: id, ...event }));
    return id;
  }

  /** Closes the connection because of an error. */
  fail(error: Error): void {
    if (this.#isClosed) return;
    this.#reject(error);
    this.close();
    this.#calls.lost(error);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimeout();
    this.#reject(new EngineError(0, 'the session has ended'));
    // A handshake that is aborted emits `error`, which the listener ignores by now.
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.close(1000);
    else this.#ws.terminate();
    this.#ws.once('close', () => this.#ws.removeAllListeners());
    setTimeout(() => this.#ws.terminate(), closeMs).unref();
  }

  #receive(json: string | undefined): void {
    if (this.#isClosed) return;
    const event = json === undefined ? undefined : readEvent(json);
    if (event === undefined) {
      this.fail(new EngineError(0, 'the realtime model sent an invalid event'));
      return;
    }
    if (event.type === 'session.updated') {
      this.#cancelTimeout();
      this.#accept();
    } else if (event.type === 'error' && event.eventId !== undefined && event.eventId === this.#configuredBy)
      this.fail(new EngineError(0, `the realtime model rejected the session: ${event.code}`, event.message));
    else this.#calls.event(event);
  }
}

/** Milliseconds until a connection whose peer does not close it is destroyed. */
const closeMs = 2000;

/** Azure takes API keys in a header of its own. */
function credentials({ hostname }: URL, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return {};
  return hostname.endsWith('.azure.com') ? { 'api-key': apiKey } : { Authorization: `Bearer ${apiKey}` };
}
