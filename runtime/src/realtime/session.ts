import type { Clock } from '../clock.ts';
import type { Heard, Usage } from '../conversation/partner.ts';
import { EngineError } from '../endpoint.ts';
import type { Tools, ToolTurn } from '../mind/mind.ts';
import { argumentsIn, repeatable } from '../mind/model/arguments.ts';
import { unlessAborted, withTimeout } from '../timeout.ts';
import type { FunctionCall, ServerEvent } from './events.ts';
import { type LiveItem, sampleRate } from './live-item.ts';
import { Response } from './response.ts';
import { Upsampler } from './upsampler.ts';
import { LostConnection, Upstream, type UpstreamTarget } from './upstream.ts';

/** What the model has to answer: a typed text, the audio that it has heard, or an instruction of the runtime. */
export type Turn =
  | { kind: 'text'; text: string }
  | { kind: 'audio'; heard: Heard }
  | { kind: 'instruction'; text: string };

export interface RealtimeSessionDeps {
  clock: Clock;
  target: UpstreamTarget;
  /** The `session` object of `session.update`. */
  settings: object;
  used(usage: Usage): void;
  /** What the model can do. */
  tools?: Tools | undefined;
  /** Runs `work`; an error in it ends the conversation only. */
  safely(work: () => void): void;
}

/** An entry of the conversation, which is repeated to the model after the connection was lost. */
type Entry = (Message | { call: FunctionCall; output: string }) & {
  /** The connection whose model knows it. */
  knownBy?: Upstream | undefined;
};

/** `system`: an instruction of the runtime. Never text of a user or of a tool. */
interface Message {
  role: 'user' | 'assistant' | 'system';
  text: string;
}

/** A turn of audio whose transcript is expected. */
interface Expected {
  itemId?: string;
  entry: Message;
  text: string;
  heard: Heard;
  cancelTimeout(): void;
}

const rememberedEntries = 40;
/** Milliseconds until a cancelled response must be over. */
const cancelMs = 4000;
/** Milliseconds in which the transcript of a turn has to arrive. */
const transcriptMs = 15_000;
/** Connections that a turn may use: the open one or a new one, and one more if it fails. */
const attempts = 2;

/** The conversation with a realtime model, over as many connections as it takes. */
export class RealtimeSession {
  readonly #deps: RealtimeSessionDeps;
  readonly #entries: Entry[] = [];
  #upstream: Upstream | undefined;
  #response: Response | undefined;
  /** Stops waiting for tools in the current turn. */
  #stopWaiting: () => void = () => {};
  /** Audio of the current turn, in base64, until the response to it has begun. */
  #audio: string[] = [];
  /** The connection to which all of `#audio` was sent. */
  #heardBy: Upstream | undefined;
  #isCommitted = false;
  #upsampler = new Upsampler(sampleRate);
  #expected: Expected[] = [];
  /** Number of `respond` calls in progress. */
  #responding = 0;
  #isClosed = false;

  constructor(deps: RealtimeSessionDeps) {
    this.#deps = deps;
  }

  /** The user begins a spoken turn. Audio that was not committed yet belongs to it. */
  beginTurn(): void {
    if (this.#audio.length > 0 && !this.#isCommitted) return;
    this.#startTurn();
  }

  /** Drops the audio of a turn that is not answered. */
  dropTurn(): void {
    this.#upstream?.send({ type: 'input_audio_buffer.clear' });
    this.#startTurn();
  }

  /** Passes audio of the user on, at 16 kHz. */
  hear(samples: Int16Array): void {
    const pcm = this.#upsampler.push(samples);
    const audio = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64');
    this.#audio.push(audio);
    if (this.#heardBy?.isOpen === true) this.#heardBy.send({ type: 'input_audio_buffer.append', audio });
    this.#deps.used({ kind: 'audio', direction: 'input', seconds: pcm.length / sampleRate });
  }

  /**
   * Yields the messages of the model's answer as they begin, and `calling` before and after it waits for tools. Reconnects once if the
   * connection fails before the first of these: a tool must not be called twice.
   */
  async *respond(turn: Turn, signal: AbortSignal): AsyncGenerator<LiveItem | 'calling'> {
    const entry: Entry & Message = {
      role: turn.kind === 'instruction' ? 'system' : 'user',
      text: textOf(turn),
    };
    this.#remember(entry);
    this.#responding++;
    try {
      for (let attempt = 1; ; attempt++) {
        let hasBegun = false;
        try {
          for await (const item of this.#items(turn, entry, signal)) {
            hasBegun = true;
            yield item;
          }
          return;
        } catch (error) {
          const isLost = error instanceof LostConnection;
          if (!isLost || hasBegun || signal.aborted || attempt === attempts) throw error;
        }
      }
    } finally {
      this.#responding--;
      if (this.#upstream === undefined) this.#endExpected();
    }
  }

  /** Stops the response in progress, if there is one. */
  cancel(): void {
    this.#response?.cancel();
    this.#stopWaiting();
  }

  /** The model forgets what the listener has not heard of a message. */
  truncate(item: LiveItem): void {
    this.#upstream?.send({
      type: 'conversation.item.truncate',
      item_id: item.itemId,
      content_index: 0,
      audio_end_ms: Math.floor(item.heardMs),
    });
  }

  /** Notes the part of a message that was played, for the next connection. */
  remember(heard: string): void {
    if (heard !== '') this.#remember({ role: 'assistant', text: heard, knownBy: this.#upstream });
  }

  close(): void {
    this.#isClosed = true;
    this.#response?.fail(new EngineError(0, 'the session has ended'));
    this.#stopWaiting();
    this.#endExpected();
    this.#upstream?.close();
  }

  async *#items(
    turn: Turn,
    entry: Entry & Message,
    signal: AbortSignal,
  ): AsyncGenerator<LiveItem | 'calling'> {
    const upstream = await this.#open(signal);
    await this.#responseOver(upstream, signal);
    for (const one of this.#entries)
      if (one !== entry && one.knownBy !== upstream && !isEmpty(one)) tell(upstream, one);
    const asked = turn.kind === 'audio' ? this.#commit(upstream, entry, turn) : tell(upstream, entry);
    let requests = [asked, upstream.send({ type: 'response.create' })];
    const tools = this.#deps.tools?.turn();
    for (;;) {
      const isLast = tools === undefined || tools.isSpent;
      const calls = yield* this.#spoken(upstream, requests, signal);
      if (isLast || calls.length === 0) return;
      yield 'calling';
      const outputs = await this.#call(upstream, calls, tools, signal);
      yield 'calling';
      const create = tools.isSpent ? { response: { tool_choice: 'none' } } : {};
      requests = [...outputs, upstream.send({ type: 'response.create', ...create })];
    }
  }

  /** Yields the messages of one response; returns the calls that the model asks for. */
  async *#spoken(
    upstream: Upstream,
    requests: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<LiveItem, FunctionCall[]> {
    if (!upstream.isOpen) throw new LostConnection(0, 'the realtime model closed the connection');
    const response = new Response(this.#deps.clock, upstream, requests);
    this.#response = response;
    const cancel = () => response.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      yield* response.items;
      return response.calls;
    } finally {
      signal.removeEventListener('abort', cancel);
      response.cancel();
    }
  }

  /**
   * Calls tools at the same time and sends their results. Returns the ids of the events; rejects when the turn is interrupted, and the
   * results are then still sent.
   */
  async #call(
    upstream: Upstream,
    calls: readonly FunctionCall[],
    tools: ToolTurn,
    signal: AbortSignal,
  ): Promise<string[]> {
    const results = calls.map(async (call) => {
      const { output } = await tools.call(call.name, argumentsIn(call.arguments));
      this.#remember({ call, output, knownBy: upstream });
      return sendItem(upstream, outputItem(call, output));
    });
    const stop = new AbortController();
    const leave = () => stop.abort(new EngineError(0, 'the turn was interrupted'));
    this.#stopWaiting = leave;
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await unlessAborted(Promise.all(results), stop.signal);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Returns the open connection, or opens one. An interruption does not abort it: the next turn uses it. */
  async #open(signal: AbortSignal): Promise<Upstream> {
    if (this.#isClosed) throw new EngineError(0, 'the session has ended');
    if (this.#upstream === undefined) {
      const { clock, target, settings, safely } = this.#deps;
      const upstream = new Upstream(clock, target, settings, {
        event: (event) => safely(() => this.#take(event)),
        lost: (error) => safely(() => this.#lost(upstream, error)),
      });
      this.#upstream = upstream;
    }
    const upstream = this.#upstream;
    await unlessAborted(upstream.ready, signal);
    return upstream;
  }

  /** Waits until the previous response is over: the model generates one at a time. */
  async #responseOver(upstream: Upstream, signal: AbortSignal): Promise<void> {
    const previous = this.#response;
    if (previous === undefined) return;
    const timeout = {
      ...{ clock: this.#deps.clock, ms: cancelMs, signal },
      error: () => new EngineError(0, 'the realtime model did not end its response'),
    };
    await withTimeout(timeout, () => previous.done).catch((error) => {
      if (!signal.aborted) upstream.fail(error);
      throw error;
    });
  }

  /** Sends the end of the user's turn, with the audio that this connection has not received. Returns the id of the event. */
  #commit(upstream: Upstream, entry: Entry & Message, { heard }: Extract<Turn, { kind: 'audio' }>): string {
    if (this.#heardBy !== upstream)
      for (const audio of this.#audio) upstream.send({ type: 'input_audio_buffer.append', audio });
    entry.knownBy = upstream;
    this.#heardBy = upstream;
    this.#isCommitted = true;
    // A turn that is sent again is transcribed once.
    this.#expected.find((one) => one.entry === entry)?.cancelTimeout();
    this.#expected = this.#expected.filter((one) => one.entry !== entry);
    const cancelTimeout = this.#deps.clock.after(transcriptMs, () => this.#heardAll(expected));
    const expected: Expected = { entry, heard, text: '', cancelTimeout };
    this.#expected.push(expected);
    return upstream.send({ type: 'input_audio_buffer.commit' });
  }

  #startTurn(): void {
    this.#audio = [];
    this.#isCommitted = false;
    this.#upsampler = new Upsampler(sampleRate);
    this.#heardBy = this.#upstream?.isOpen === true ? this.#upstream : undefined;
  }

  #take(event: ServerEvent): void {
    const response = this.#response;
    switch (event.type) {
      case 'response.done':
        if (event.usage !== undefined) this.#deps.used({ kind: 'tokens', ...event.usage });
        response?.take(event);
        break;
      case 'response.created':
      case 'call':
      case 'transcript':
      case 'audio': {
        const ms = response?.take(event) ?? 0;
        if (ms > 0) this.#deps.used({ kind: 'audio', direction: 'output', seconds: ms / 1000 });
        break;
      }
      case 'committed': {
        const next = this.#expected.find(({ itemId }) => itemId === undefined);
        if (next !== undefined) next.itemId = event.itemId;
        break;
      }
      case 'heard':
        this.#heard(event);
        break;
      case 'not heard':
        this.#heard({ itemId: event.itemId, text: '', status: 'final' });
        break;
      case 'error':
        // Errors about other requests, such as a cancellation that came too late, have no consequence.
        if (response?.isAbout(event.eventId))
          response.fail(
            new EngineError(0, `the realtime model reported an error: ${event.code}`, event.message),
          );
    }
  }

  #heard({ itemId, text, status }: { itemId: string; text: string; status: 'partial' | 'final' }): void {
    const expected = this.#expected.find((one) => one.itemId === itemId);
    if (expected === undefined) return;
    if (status === 'partial') {
      expected.text += text;
      expected.heard(expected.text.trim(), 'partial');
    } else {
      if (text.trim() !== '') expected.text = text;
      this.#heardAll(expected);
    }
  }

  /** The transcript of a turn is complete, or what has arrived of it is all that will. */
  #heardAll(expected: Expected): void {
    expected.cancelTimeout();
    this.#expected = this.#expected.filter((one) => one !== expected);
    expected.entry.text = expected.text.trim();
    expected.heard(expected.entry.text, 'final');
  }

  #endExpected(): void {
    for (const expected of this.#expected) this.#heardAll(expected);
  }

  #lost(upstream: Upstream, error: Error): void {
    if (this.#upstream !== upstream) return;
    this.#upstream = undefined;
    this.#response?.fail(error);
    this.#response = undefined;
    if (this.#responding === 0) this.#endExpected();
  }

  #remember(entry: Entry): void {
    this.#entries.push(entry);
    this.#entries.splice(0, Math.max(0, this.#entries.length - rememberedEntries));
  }
}

const textOf = (turn: Turn) => (turn.kind === 'audio' ? '' : turn.text);

/** Adds an entry to the model's conversation. Returns the id of the event. */
function tell(upstream: Upstream, entry: Entry): string {
  entry.knownBy = upstream;
  if ('call' in entry) {
    const { callId, name, arguments: written } = entry.call;
    sendItem(upstream, { type: 'function_call', call_id: callId, name, arguments: repeatable(written) });
    return sendItem(upstream, outputItem(entry.call, entry.output));
  }
  const { role, text } = entry;
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return sendItem(upstream, { type: 'message', role, content: [{ type, text }] });
}

const isEmpty = (entry: Entry) => 'text' in entry && entry.text === '';

const outputItem = ({ callId }: FunctionCall, output: string) => ({
  ...{ type: 'function_call_output', call_id: callId, output },
});

function sendItem(upstream: Upstream, item: object): string {
  return upstream.send({ type: 'conversation.item.create', item });
}
