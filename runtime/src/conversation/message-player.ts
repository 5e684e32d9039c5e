import { audioFrame, bounds, type Cue, type WordTime } from '@session-launch/contract/runtime/protocol';
import type { Said } from '../mind/mind.ts';
import type { LiveSpeech } from '../speech/live-speech.ts';
import { characterFrame } from './audio-frames.ts';
import { CharacterMessage, type Outcome } from './character-message.ts';
import type { FrameFormat, FrameSource } from './frame-source.ts';
import type { Outbox } from './outbox.ts';
import { type Piece, PieceQueue, type PieceQueueDeps } from './piece-queue.ts';
import { finish, Playback, type Utterance } from './playback.ts';
import type { PreparedSpeech } from './speech-output.ts';

export interface MessagePlayerDeps extends Pick<PieceQueueDeps, 'clock' | 'mindFailed' | 'failed'> {
  outbox: Outbox;
  sampleRate: number;
  /** The format of the current connection. */
  frames(): FrameFormat;
  isDual: boolean;
  nextUtterance(): number;
  prepare(said: Said, signal: AbortSignal): Promise<PreparedSpeech>;
  speaking(characterId: string): void;
  /** The first audio, page speech or caption has been sent. */
  started(times: StartTimes): void;
  /** Called with `true` when the client reports no progress for `stallMs`, and with `false` when playback continues. */
  stalled(isStalled: boolean): void;
  /** The whole message was played. Not called after `stop`. */
  finished(outcome: Outcome): void;
}

/** Milliseconds from the start of the message to its first utterance, in total and by part. */
export interface StartTimes {
  mindMs: number;
  speechMs: number;
  totalMs: number;
}

type State =
  /** Waits for the mind's next piece. */
  | { name: 'generating' }
  /** Waits for the synthesis of a piece, for earlier utterances to be played, or for the connection. */
  | { name: 'starting'; piece: Piece }
  /** Sends server audio, at most `bounds.aheadMs` ahead of playback. */
  | { name: 'sending'; utterance: Utterance; frames: FrameSource }
  /** Sends speech that is still arriving. */
  | {
      name: 'live';
      utterance: Utterance;
      live: LiveSpeech;
      frames: FrameSource;
      isEnded: boolean;
      /** Whether the last mouth shapes were sent. */
      isTimed: boolean;
    }
  /** The page synthesises the utterance and reports progress. */
  | { name: 'page'; utterance: Utterance }
  /** Captions have no playback reports: the time since `shownAt` counts as played. */
  | { name: 'captions'; utterance: Utterance; shownAt: number }
  /** All pieces are sent: waits until the client has played them. */
  | { name: 'draining' }
  /** The user seems to speak; `heard` is the text that was played before. */
  | { name: 'paused'; heard: string }
  /** The message was played or stopped. */
  | { name: 'over' };

/** Results of a transition: run the next one immediately, or wait for an event without a timeout. */
const again = 0;
const untilEvent = Number.POSITIVE_INFINITY;

/** Milliseconds between checks whether a backlogged connection has drained. */
const backlogCheckMs = 50;
/** Milliseconds without progress after which the client counts as stalled. */
const stallMs = 10_000;
/** Maximum milliseconds of live speech that are timed and announced at once. */
const livePartMs = 400;

/**
 * Streams one message of a character to the client, piece by piece, at the speed of playback. A state machine: each event calls `#step`,
 * which runs transitions until the state has to wait.
 */
export class MessagePlayer {
  readonly #deps: MessagePlayerDeps;
  readonly #message: CharacterMessage<Piece>;
  readonly #abort = new AbortController();
  readonly #queue: PieceQueue;
  readonly #playback = new Playback();
  readonly #startedAt: number;
  #state: State = { name: 'generating' };
  /** Index of the next piece to send. */
  #next = 0;
  /** Milliseconds until the first piece was generated; `undefined` once reported. */
  #mindMs: number | undefined;
  #isStalled = false;
  #cancelTimeout: () => void = () => {};

  constructor(deps: MessagePlayerDeps, messageId: string, say: (signal: AbortSignal) => AsyncIterable<Said>) {
    this.#deps = deps;
    this.#message = new CharacterMessage(deps.outbox, messageId, deps.isDual);
    this.#startedAt = deps.clock.now();
    const { clock, prepare, mindFailed, failed } = deps;
    const { signal } = this.#abort;
    this.#queue = new PieceQueue(
      {
        ...{ clock, mindFailed, failed },
        prepare: (said) => prepare(said, signal),
        isFull: () => deps.outbox.connection === undefined || deps.outbox.isBacklogged,
        changed: () => {
          if (['generating', 'starting', 'paused'].includes(this.state)) this.#step();
        },
      },
      say,
      signal,
    );
  }

  get state(): State['name'] {
    return this.#state.name;
  }

  /** The text of the pieces that were started. */
  get text(): string {
    return this.#message.text;
  }

  /** The client reports progress. */
  played(utterance: number, ms: number, isDone: boolean): void {
    if (this.#playback.played(utterance, ms, isDone)) this.#step();
  }

  /** Stops permanently: sends the final message with the text that was played, and no more audio. */
  stop(): Outcome {
    this.#interrupt();
    const heard = this.#state.name === 'paused' ? this.#state.heard : this.#playback.heard;
    this.#state = { name: 'over' };
    this.#cancelTimeout();
    this.#playback.reportHeard();
    this.#abort.abort(new Error('interrupted'));
    return this.#message.end(heard, true);
  }

  /** Pauses while the user seems to speak; `resume` or `stop` follows. */
  pause(): void {
    if (this.state === 'paused' || this.state === 'over') return;
    const current = this.#current;
    this.#interrupt();
    this.#state = { name: 'paused', heard: this.#playback.heard };
    if (current !== undefined) {
      this.#next = current.piece;
      this.#playback.removeFrom(current);
    }
    this.#step();
  }

  /** Continues with the interrupted piece: the user did not speak. */
  resume(): void {
    if (this.state !== 'paused') return;
    this.#state = { name: 'generating' };
    this.#step();
  }

  /** Utterances in flight count as played. Call `continue` next. */
  connectionLost(): void {
    if ('utterance' in this.#state) this.#endUtterance(this.#state.utterance, 'interrupted');
    this.#playback.finishAll();
  }

  /** Continues after the connection was lost or restored. Without a connection, the next piece waits for one. */
  continue(): void {
    this.#step();
  }

  /** Runs transitions until the state has to wait for an event or for its timeout. Each event restarts the timeout. */
  #step(isTimeout = false): void {
    this.#cancelTimeout();
    try {
      const isStalled = isTimeout && (this.state === 'sending' || this.state === 'live');
      if (isStalled !== this.#isStalled) this.#deps.stalled(isStalled);
      this.#isStalled = isStalled;
      this.#queue.fill();
      let waitMs = this.#transition(isTimeout);
      while (waitMs === again) waitMs = this.#transition(false);
      // A transition that closes the connection runs `#step` recursively and may have set a timeout.
      this.#cancelTimeout();
      if (waitMs !== untilEvent) this.#cancelTimeout = this.#deps.clock.after(waitMs, () => this.#step(true));
    } catch (error) {
      this.#deps.failed(error as Error);
    }
  }

  /** Returns the timeout of the state in milliseconds, `again` or `untilEvent`. `isTimeout`: the previous timeout has passed. */
  #transition(isTimeout: boolean): number {
    const state = this.#state;
    switch (state.name) {
      case 'generating':
        return this.#takePiece();
      case 'starting':
        return this.#start(state.piece, isTimeout);
      case 'sending':
        return this.#sendWhole(state);
      case 'live':
        return this.#sendLive(state);
      case 'page':
        if (isTimeout) finish(state.utterance);
        if (!state.utterance.isDone) return state.utterance.durationMs * 2 + 3000;
        return this.#endUtterance(state.utterance, 'done');
      case 'captions': {
        const leftMs = state.shownAt + state.utterance.durationMs - this.#deps.clock.now();
        if (leftMs > 0) return leftMs;
        finish(state.utterance);
        return this.#endUtterance(state.utterance, 'done');
      }
      case 'draining':
        return this.#playback.drain(isTimeout) || this.#finish();
      case 'paused':
        this.#showPiece();
        break;
      case 'over':
    }
    return untilEvent;
  }

  #takePiece(): number {
    const piece = this.#showPiece();
    if (piece !== undefined) this.#state = { name: 'starting', piece };
    else if (this.#queue.isOver) this.#state = { name: 'draining' };
    else return this.#deps.outbox.isBacklogged ? backlogCheckMs : untilEvent;
    return again;
  }

  /** Returns the next piece to send. A new one is added to the message. */
  #showPiece(): Piece | undefined {
    const { pieces } = this.#message;
    const piece = pieces[this.#next] ?? this.#queue.shift();
    if (piece === undefined || this.#next < pieces.length) return piece;
    if (pieces.length === 0) this.#mindMs = this.#deps.clock.now() - this.#startedAt;
    this.#message.add(piece);
    return piece;
  }

  #start(piece: Piece, isTimeout: boolean): number {
    const { outbox, clock, nextUtterance } = this.#deps;
    const { prepared, text } = piece;
    if (prepared === undefined) return untilEvent;
    if (prepared.speech === 'live') return this.#startLive(piece, prepared.live);
    const { speech, spoken } = prepared;
    // Only server audio is sent ahead. Page speech and captions start when the earlier utterances have finished.
    const waitMs = speech === 'server' ? 0 : this.#playback.drain(isTimeout);
    if (waitMs > 0) return waitMs;
    if (outbox.connection === undefined) return untilEvent;
    const { words, cues, durationMs } = spoken;
    const id = nextUtterance();
    const utterance = this.#playback.begin({ id, piece: this.#next, text, words, durationMs });
    if (speech === 'server') {
      const { sampleRate, frames } = this.#deps;
      const whole = frames().whole(spoken.audio, sampleRate, () => this.#framesReady(utterance));
      this.#state = { name: 'sending', utterance, frames: whole };
    } else if (speech === 'client') this.#state = { name: 'page', utterance };
    else this.#state = { name: 'captions', utterance, shownAt: clock.now() };
    if (speech !== 'server') utterance.sentMs = durationMs;
    this.#announce(piece, utterance, speech);
    const source = speech === 'server' ? spoken.source : 'text';
    outbox.send({ type: 'cues', utterance: id, source, cues, words });
    this.#reportStart();
    return again;
  }

  #announce(
    { characterId, locale }: Piece,
    { id, text }: Utterance,
    speech: 'server' | 'client' | 'captions',
  ) {
    const { outbox, speaking } = this.#deps;
    const messageId = this.#message.id;
    speaking(characterId);
    outbox.send({ type: 'utterance', utterance: id, messageId, characterId, locale, text, speech });
  }

  #reportStart(): void {
    if (this.#mindMs === undefined) return;
    const [mindMs, totalMs] = [this.#mindMs, this.#deps.clock.now() - this.#startedAt];
    this.#mindMs = undefined;
    this.#deps.started({ mindMs, speechMs: totalMs - mindMs, totalMs });
  }

  /** Begins an utterance of live speech: its first one, or the rest after the connection was lost. */
  #startLive(piece: Piece, live: LiveSpeech): number {
    const { outbox, nextUtterance } = this.#deps;
    live.changed = () => {
      if (this.state === 'live') this.#step();
    };
    if (live.isOver) {
      this.#state = { name: 'generating' };
      this.#next++;
      return again;
    }
    if (outbox.connection === undefined) return untilEvent;
    this.#message.extend(piece, live.text);
    const fromCharacter = this.#playback.charactersOf(live);
    const text = live.text.slice(fromCharacter);
    const utterance = this.#playback.begin({
      ...{ id: nextUtterance(), piece: this.#next, text, words: [], durationMs: Number.POSITIVE_INFINITY },
      live: { speech: live, fromMs: live.takenMs, fromCharacter },
    });
    const { sampleRate, frames } = this.#deps;
    const source = frames().live(sampleRate, () => this.#framesReady(utterance));
    this.#state = { name: 'live', utterance, live, frames: source, isEnded: false, isTimed: false };
    this.#announce(piece, utterance, 'server');
    return again;
  }

  #sendLive(state: Extract<State, { name: 'live' }>): number {
    const { frames, live, utterance } = state;
    if (frames.isDrained && live.isOver && !state.isEnded) this.#endLive(state);
    if (!state.isEnded && this.#mustWait) return stallMs;
    const sent = this.#sendNext(state);
    if (sent !== undefined) return sent;
    // The rest is sent in another utterance.
    if (frames.hasFailed) return this.#endUtterance(utterance, 'interrupted');
    return frames.isDrained && !state.isEnded ? this.#takeLive(state) : untilEvent;
  }

  /** Takes the speech that has arrived, and sends its mouth shapes before its audio. */
  #takeLive(state: Extract<State, { name: 'live' }>): number {
    const { utterance, live } = state;
    const { fromMs, fromCharacter } = utterance.live!;
    const taken = live.take(livePartMs);
    this.#updateText(state);
    if (taken === undefined) return untilEvent;
    const cues = taken.cues.map(([ms, viseme]): Cue => [ms - Math.round(fromMs), viseme]);
    const words = taken.words.map(
      ([ms, start, end]): WordTime => [ms - Math.round(fromMs), start - fromCharacter, end - fromCharacter],
    );
    utterance.words.push(...words);
    state.frames.push(taken.audio);
    const more = live.isOver ? {} : ({ more: true } as const);
    if (live.isOver) cues.push([Math.round(live.takenMs - fromMs), 'sil']);
    state.isTimed = live.isOver;
    const { source } = taken;
    this.#deps.outbox.send({ type: 'cues', utterance: utterance.id, source, cues, words, ...more });
    this.#reportStart();
    return again;
  }

  /** Shows the transcript as far as it has arrived. */
  #updateText({ utterance, live }: Extract<State, { name: 'live' }>): void {
    const piece = this.#message.pieces[this.#next];
    if (piece !== undefined) this.#message.extend(piece, live.text);
    utterance.text = live.text.slice(utterance.live!.fromCharacter).trimEnd();
  }

  /** All speech has arrived and was sent, except what does not fill a frame. */
  #endLive(state: Extract<State, { name: 'live' }>): void {
    this.#updateText(state);
    const { utterance, live } = state;
    const { id } = utterance;
    utterance.durationMs = live.takenMs - utterance.live!.fromMs;
    if (!state.isTimed)
      this.#deps.outbox.send({
        type: 'cues',
        utterance: id,
        source: 'level',
        cues: [[Math.round(utterance.durationMs), 'sil']],
      });
    state.isEnded = true;
    state.frames.end();
  }

  #sendWhole(state: Extract<State, { name: 'sending' }>): number {
    if (this.#mustWait) return stallMs;
    const sent = this.#sendNext(state);
    if (sent !== undefined) return sent;
    return state.frames.hasFailed ? this.#endUtterance(state.utterance, 'interrupted') : untilEvent;
  }

  /** Whether enough audio was sent ahead of playback, or the client does not read. */
  get #mustWait(): boolean {
    return (
      this.#playback.aheadMs + audioFrame.milliseconds > bounds.aheadMs || this.#deps.outbox.isBacklogged
    );
  }

  /** Sends the next frame. Returns the timeout of the state, or `undefined` if no frame is ready. */
  #sendNext({ frames, utterance }: Extract<State, { frames: FrameSource }>): number | undefined {
    const { outbox, sampleRate } = this.#deps;
    const frame = frames.next();
    if (frame === undefined) return undefined;
    utterance.sentMs = Math.min(utterance.durationMs, (frame.end / sampleRate) * 1000);
    outbox.connection?.sendAudio(characterFrame(utterance.id, frame));
    return frame.isLast ? this.#endUtterance(utterance, 'done') : again;
  }

  /** Frames that were not ready are. */
  #framesReady(utterance: Utterance): void {
    if ('frames' in this.#state && this.#state.utterance === utterance) this.#step();
  }

  #endUtterance(utterance: Utterance, reason: 'done' | 'interrupted'): typeof again {
    if (reason === 'done') utterance.sentMs = utterance.durationMs;
    const durationMs = Math.round(utterance.sentMs);
    if ('frames' in this.#state) this.#state.frames.close();
    this.#state = { name: 'generating' };
    // Live speech continues in another utterance.
    if (reason === 'done' || utterance.live === undefined) this.#next++;
    this.#deps.outbox.send({ type: 'utterance.end', utterance: utterance.id, durationMs, reason });
    return again;
  }

  #finish(): typeof untilEvent {
    this.#state = { name: 'over' };
    this.#playback.reportHeard();
    this.#deps.finished(this.#message.end(this.#playback.heard, false));
    return untilEvent;
  }

  /** Sends `interrupted`, so that the client drops its buffered audio. */
  #interrupt(): void {
    const { clock, outbox } = this.#deps;
    const current = this.#current;
    if (current === undefined) return;
    if (this.#state.name === 'captions')
      this.#playback.played(current.id, clock.now() - this.#state.shownAt, false);
    outbox.send({ type: 'interrupted', utterance: current.id, atMs: Math.round(current.playedMs) });
    if ('utterance' in this.#state) this.#endUtterance(this.#state.utterance, 'interrupted');
  }

  /** The utterance that is playing, else the one that is being sent. */
  get #current(): Utterance | undefined {
    return this.#playback.current ?? ('utterance' in this.#state ? this.#state.utterance : undefined);
  }
}
