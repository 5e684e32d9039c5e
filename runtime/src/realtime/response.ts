import type { Clock } from '../clock.ts';
import { EngineError } from '../endpoint.ts';
import { Channel } from './channel.ts';
import type { FunctionCall, ServerEvent } from './events.ts';
import { LiveItem } from './live-item.ts';
import type { Upstream } from './upstream.ts';

/** Milliseconds without an event after which a response has failed. */
const silenceMs = 15_000;
/** Maximum milliseconds of audio of a response, which is buffered until it has been played. More is cut off. */
const maxAudioMs = 600_000;

type ResponseEvent = Extract<ServerEvent, { responseId: string }>;

/** One response of a model, from its request until the model reports that it is done. */
export class Response {
  /** The messages that the model speaks, each as soon as its first audio has arrived. */
  readonly items = new Channel<LiveItem>();
  /** Resolves when the model accepts another request. */
  readonly done: Promise<void>;
  readonly #clock: Clock;
  readonly #upstream: Upstream;
  readonly #byId = new Map<string, LiveItem>();
  /** Items of which audio has arrived. */
  readonly #spoken = new Set<LiveItem>();
  readonly #requests: readonly string[];
  readonly #calls = new Map<string, FunctionCall>();
  #audioMs = 0;
  #id: string | undefined;
  #isCancelled = false;
  #finish: () => void = () => {};
  #cancelTimeout: () => void = () => {};

  /** `requests`: ids of the events that ask for this response. */
  constructor(clock: Clock, upstream: Upstream, requests: readonly string[]) {
    this.#clock = clock;
    this.#upstream = upstream;
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#requests = requests;
    this.#expectEvents();
  }

  /** The calls of tools that the model asks for. None if the response was cancelled. */
  get calls(): FunctionCall[] {
    return this.#isCancelled ? [] : [...this.#calls.values()];
  }

  /** Whether an error of the model ends this response: it names a request, or none while the model has not accepted it. */
  isAbout(eventId: string | undefined): boolean {
    return eventId === undefined ? this.#id === undefined : this.#requests.includes(eventId);
  }

  /** Handles an event. Returns the milliseconds of audio in it. */
  take(event: ResponseEvent): number {
    if (event.type === 'response.created' && this.#id === undefined) {
      this.#id = event.responseId;
      if (this.#isCancelled) this.#sendCancel();
    }
    if (event.responseId !== this.#id) return 0;
    this.#expectEvents();
    if (event.type === 'response.done') this.#end(event);
    else if (event.type === 'call') this.#calls.set(event.call.callId, event.call);
    else if (event.type === 'transcript') this.#item(event.itemId).addText(event.text);
    else if (event.type === 'audio') return this.#addAudio(event);
    return 0;
  }

  /** The listener interrupts: the model stops generating. */
  cancel(): void {
    if (this.#isCancelled || this.items.isEnded) return;
    this.#isCancelled = true;
    this.items.end();
    if (this.#id !== undefined) this.#sendCancel();
  }

  /** Ends the response with an error. What has arrived is still played. */
  fail(error: Error): void {
    this.#cancelTimeout();
    for (const item of this.#byId.values()) item.complete();
    this.items.fail(error);
    this.#finish();
  }

  #addAudio({ itemId, audio }: Extract<ResponseEvent, { type: 'audio' }>): number {
    if (this.#isCancelled) return 0;
    const item = this.#item(itemId);
    const ms = item.addAudio(audio);
    if (!this.#spoken.has(item)) {
      // The model speaks one message after the other.
      for (const earlier of this.#spoken) earlier.complete();
      this.#spoken.add(item);
      this.items.push(item);
    }
    this.#audioMs += ms;
    if (this.#audioMs > maxAudioMs) this.cancel();
    return ms;
  }

  #item(itemId: string): LiveItem {
    const known = this.#byId.get(itemId);
    if (known !== undefined) return known;
    const item = new LiveItem(itemId);
    this.#byId.set(itemId, item);
    return item;
  }

  #end({ status, code, calls }: Extract<ResponseEvent, { type: 'response.done' }>): void {
    for (const call of calls) this.#calls.set(call.callId, call);
    if (status === 'failed') this.fail(new EngineError(0, `the realtime model failed: ${code}`));
    else if (this.#spoken.size === 0 && this.#calls.size === 0 && !this.#isCancelled)
      this.fail(new EngineError(0, `the response of the realtime model has no audio: ${status}`));
    this.#cancelTimeout();
    for (const item of this.#byId.values()) item.complete();
    this.items.end();
    this.#finish();
  }

  #sendCancel(): void {
    this.#upstream.send({ type: 'response.cancel', response_id: this.#id });
  }

  #expectEvents(): void {
    this.#cancelTimeout();
    this.#cancelTimeout = this.#clock.after(silenceMs, () => {
      const error = new EngineError(0, 'the realtime model did not answer in time');
      this.fail(error);
      // The connection may be dead: the next turn opens another one.
      this.#upstream.fail(error);
    });
  }
}
