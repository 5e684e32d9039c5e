import { audioFrame, bounds, type UnnumberedEvent } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';
import type { Said } from '../mind/mind.ts';
import { joined } from '../sentences.ts';
import { characterFrame } from './audio-frames.ts';
import { Bell } from './bell.ts';
import type { Outbox } from './outbox.ts';
import { type Piece, Pieces } from './pieces.ts';
import { finish, Playback, type Utterance } from './playback.ts';
import { spansOf } from './spans.ts';
import type { Voiced } from './voicing.ts';

export interface TellingDeps {
  clock: Clock;
  outbox: Outbox;
  sampleRate: number;
  isDual: boolean;
  nextUtterance(): number;
  voice(said: Said, signal: AbortSignal): Promise<Voiced>;
  mindFailed(error: Error): Said | undefined;
  speaking(characterId: string): void;
  /** The first audio, page speech or caption has been sent. */
  started(times: { mindMs: number; speechMs: number; totalMs: number }): void;
  /** Called with `true` when the client reports no progress for `stallMs`, and with `false` when playback continues. */
  stalled(isStalled: boolean): void;
}

/** The outcome of a message. */
export interface Told {
  said: string;
  heard: string;
}

const unsentLimit = 512 * 1024;
const stallMs = 10_000;
/** Milliseconds to wait for the client's report that playback has finished, past its expected end. */
const graceMs = 2000;

/** Streams one message of a character to the client: piece by piece, at the speed of playback, until it is finished or stopped. */
export class Telling {
  readonly #deps: TellingDeps;
  readonly #messageId: string;
  readonly #bell: Bell;
  readonly #stop = new AbortController();
  readonly #playback = new Playback();
  readonly #startedAt: number;
  readonly #pieces: Piece[] = [];
  readonly #utteranceOf = new Map<Piece, Utterance>();
  /** The utterance that is being sent. */
  #sending: Utterance | undefined;
  /** Set while the user seems to speak: index of the piece to continue with. */
  #heldAt: number | undefined;
  #isHeld = false;
  #heardBefore = '';
  /** When a caption was shown, in milliseconds of the clock: captions have no playback reports, so elapsed time counts as played. */
  #shownAt = 0;
  #hasStarted = false;
  #isStalled = false;

  constructor(deps: TellingDeps, messageId: string) {
    this.#deps = deps;
    this.#messageId = messageId;
    this.#bell = new Bell(deps.clock);
    this.#startedAt = deps.clock.now();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Resolves when playback has finished or the message was stopped. */
  async tell(said: AsyncIterable<Said>): Promise<Told> {
    const { clock, outbox, mindFailed, voice } = this.#deps;
    const pieces = new Pieces(
      {
        clock,
        voice: (one) => voice(one, this.signal),
        isFull: () => outbox.line === undefined || outbox.line.unsent > unsentLimit,
        failed: mindFailed,
      },
      said,
      this.signal,
    );
    let at = 0;
    while (!this.signal.aborted) {
      if (this.#pieces[at] === undefined) {
        const piece = await pieces.next();
        if (piece !== undefined) this.#show(piece);
      }
      const piece = this.#pieces[at];
      if (piece !== undefined) await this.#deliver(piece);
      else await this.#untilPlayed();
      if (this.#isHeld) await this.#untilReleased();
      if (this.#heldAt !== undefined) {
        at = this.#heldAt;
        this.#heldAt = undefined;
      } else if (piece === undefined) break;
      // A piece that was held before its utterance began is sent again.
      else if (this.#utteranceOf.has(piece)) at++;
    }
    if (!this.signal.aborted && this.#pieces.length > 0) this.#message('final');
    return this.told;
  }

  get told(): Told {
    return {
      said: joined(this.#pieces.map(({ text }) => text)),
      heard: this.#isHeld ? this.#heardBefore : this.#playback.heard,
    };
  }

  played(utterance: number, ms: number, isDone: boolean): void {
    if (this.#playback.played(utterance, ms, isDone)) this.#bell.ring();
  }

  /** Stops the message permanently: sends no more audio, and the final message with the text that was played. */
  stop(): void {
    if (this.signal.aborted) return;
    this.#cut();
    this.#stop.abort(new Error('interrupted'));
    this.#bell.ring();
    if (this.#pieces.length === 0) return;
    this.#message('final', { interrupted: true, heard: this.told.heard });
  }

  /** Pauses while the user seems to speak; `release` or `stop` follows. */
  hold(): void {
    if (this.#isHeld || this.signal.aborted) return;
    const current = this.#playback.current ?? this.#sending;
    this.#heardBefore = this.#playback.heard;
    this.#isHeld = true;
    if (current === undefined) {
      this.#bell.ring();
      return;
    }
    this.#heldAt = this.#pieces.findIndex((piece) => this.#utteranceOf.get(piece) === current);
    this.#cut();
    this.#heardBefore = this.#playback.heard;
    for (const piece of this.#pieces.slice(this.#heldAt)) {
      const utterance = this.#utteranceOf.get(piece);
      if (utterance !== undefined) this.#playback.forget(utterance);
    }
    this.#bell.ring();
  }

  /** Continues with the interrupted piece: the user did not speak. */
  release(): void {
    this.#isHeld = false;
    this.#bell.ring();
  }

  /** The connection is lost: utterances in flight count as played; the next piece waits for a new connection. */
  lineLost(): void {
    const sending = this.#sending;
    if (sending !== undefined) this.#end(sending, 'interrupted');
    for (let current = this.#playback.current; current !== undefined; current = this.#playback.current)
      finish(current);
    this.#bell.ring();
  }

  lineBack(): void {
    this.#bell.ring();
  }

  /** Sends `interrupted`, so that the client drops its buffered audio. */
  #cut(): void {
    const current = this.#playback.current ?? this.#sending;
    if (current === undefined) return;
    if (this.#shownAt > 0) this.#playback.played(current.id, this.#deps.clock.now() - this.#shownAt, false);
    this.#deps.outbox.send({
      type: 'interrupted',
      utterance: current.id,
      atMs: Math.round(current.playedMs),
    });
    if (this.#sending !== undefined) this.#end(this.#sending, 'interrupted');
  }

  #show(piece: Piece): void {
    this.#pieces.push(piece);
    this.#message('partial');
  }

  #message(status: 'partial' | 'final', more: { interrupted?: true; heard?: string } = {}): void {
    const event: Extract<UnnumberedEvent, { type: 'message' }> = {
      type: 'message',
      id: this.#messageId,
      role: 'character',
      characterId: this.#pieces.at(-1)!.characterId,
      status,
      text: this.told.said,
      ...more,
    };
    if (this.#deps.isDual) event.spans = spansOf(this.#pieces);
    this.#deps.outbox.send(event);
  }

  async #deliver(piece: Piece): Promise<void> {
    const mindMs = this.#deps.clock.now() - this.#startedAt;
    const voiced = await this.#unlessStopped(piece.voiced);
    if (voiced === undefined) return;
    // Only server audio is sent ahead. Page speech and captions start when the earlier utterances have finished.
    if (voiced.speech !== 'server') await this.#untilPlayed();
    while (this.#deps.outbox.line === undefined && !this.#isOff) await this.#bell.wait();
    if (this.#isOff) return;
    const { outbox, nextUtterance, clock } = this.#deps;
    const { characterId, locale, text } = piece;
    const { spoken, speech } = voiced;
    const utterance = this.#playback.begin(nextUtterance(), text, spoken.words, spoken.durationMs);
    this.#utteranceOf.set(piece, utterance);
    this.#sending = utterance;
    this.#deps.speaking(characterId);
    outbox.send({
      type: 'utterance',
      utterance: utterance.id,
      messageId: this.#messageId,
      characterId,
      locale,
      text,
      speech,
    });
    const source = speech === 'server' ? voiced.spoken.source : 'text';
    outbox.send({ type: 'cues', utterance: utterance.id, source, cues: spoken.cues, words: spoken.words });
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      const totalMs = clock.now() - this.#startedAt;
      this.#deps.started({ mindMs, speechMs: totalMs - mindMs, totalMs });
    }
    if (speech === 'server') await this.#send(utterance, voiced.spoken.audio);
    else if (speech === 'client') await this.#leaveToPage(utterance);
    else await this.#showCaptions(utterance);
    if (this.#sending === utterance) this.#end(utterance, 'done');
  }

  /** Sends audio frame by frame, at most the permitted lead ahead of playback. */
  async #send(utterance: Utterance, audio: Int16Array): Promise<void> {
    const { outbox, sampleRate } = this.#deps;
    const perFrame = Math.round((sampleRate * audioFrame.milliseconds) / 1000);
    for (let offset = 0; offset < audio.length; offset += perFrame) {
      while (this.#sending === utterance && !this.#hasRoom()) await this.#waitForListener();
      if (this.#sending !== utterance || outbox.line === undefined) return;
      const samples = audio.subarray(offset, offset + perFrame);
      const end = offset + samples.length;
      outbox.line.sendAudio(characterFrame(utterance.id, offset, samples, end >= audio.length));
      utterance.sentMs = Math.min(utterance.durationMs, (end / sampleRate) * 1000);
    }
    utterance.sentMs = utterance.durationMs;
  }

  #hasRoom(): boolean {
    const isAhead = this.#playback.aheadMs + audioFrame.milliseconds > bounds.aheadMs;
    return !isAhead && (this.#deps.outbox.line?.unsent ?? 0) <= unsentLimit;
  }

  async #waitForListener(): Promise<void> {
    const isLate = await this.#bell.wait(stallMs);
    if (isLate !== this.#isStalled && !this.signal.aborted) this.#deps.stalled(isLate);
    this.#isStalled = isLate;
  }

  /** The page synthesises the sentence and reports progress. Without reports for too long, it counts as played. */
  async #leaveToPage(utterance: Utterance): Promise<void> {
    utterance.sentMs = utterance.durationMs;
    while (this.#sending === utterance && !utterance.isDone) {
      if (await this.#bell.wait(utterance.durationMs * 2 + 3000)) finish(utterance);
    }
  }

  async #showCaptions(utterance: Utterance): Promise<void> {
    const { clock } = this.#deps;
    utterance.sentMs = utterance.durationMs;
    this.#shownAt = clock.now();
    for (;;) {
      const left = this.#shownAt + utterance.durationMs - clock.now();
      if (this.#sending !== utterance || left <= 0) break;
      await this.#bell.wait(left);
    }
    if (this.#sending === utterance) finish(utterance);
    this.#shownAt = 0;
  }

  #end(utterance: Utterance, reason: 'done' | 'interrupted'): void {
    const durationMs = Math.round(reason === 'done' ? utterance.durationMs : utterance.sentMs);
    this.#sending = undefined;
    this.#deps.outbox.send({ type: 'utterance.end', utterance: utterance.id, durationMs, reason });
  }

  /** Waits until all sent audio is reported as played, or its expected end plus `graceMs` has passed. */
  async #untilPlayed(): Promise<void> {
    while (this.#playback.current !== undefined && !this.#isOff) {
      const isLate = await this.#bell.wait(this.#playback.aheadMs + graceMs);
      if (isLate && this.#playback.current !== undefined) finish(this.#playback.current);
    }
  }

  async #untilReleased(): Promise<void> {
    while (this.#isHeld && !this.signal.aborted) await this.#bell.wait();
  }

  get #isOff(): boolean {
    return this.signal.aborted || this.#isHeld;
  }

  async #unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
      this.#bell.ring();
    };
    work.then(settled, settled);
    while (!isSettled && !this.#isOff) await this.#bell.wait();
    return this.#isOff ? undefined : work;
  }
}
