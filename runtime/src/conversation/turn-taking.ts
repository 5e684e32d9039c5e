import { randomUUID } from 'node:crypto';
import type { Mode, RuntimeErrorCode } from '@session-launch/contract/runtime/protocol';
import type { SessionMode } from '@session-launch/contract/session';
import type { Clock } from '../clock.ts';
import type { Character, Dialogue, Said } from '../mind/mind.ts';
import type { Outcome } from './character-message.ts';
import { isPartOf } from './echo.ts';
import type { FrameFormat } from './frame-source.ts';
import { MessagePlayer, type StartTimes } from './message-player.ts';
import type { Outbox } from './outbox.ts';
import type { PartnerObserver } from './partner.ts';
import type { SessionTimers } from './session-timers.ts';
import type { SpeechOutput } from './speech-output.ts';

/** Milliseconds of a turn up to the first audio, in total and by part. `hearingMs`: transcription of the user's words. */
export interface TurnTimes extends StartTimes {
  hearingMs?: number;
}

export interface Observer extends PartnerObserver {
  turn(times: TurnTimes): void;
  engineFailed(engine: 'mind' | 'speech' | 'hearing', error: Error): void;
  /** An unexpected error ended the conversation. */
  failed(sessionId: string, error: Error): void;
  /** The text of a message, which is personal data: log it at the most verbose level only. */
  said(role: 'user' | 'character', text: string): void;
}

export interface TurnTakingDeps {
  clock: Clock;
  outbox: Outbox;
  dialogue: Dialogue;
  speechOutput: SpeechOutput;
  timers: SessionTimers;
  observer: Observer;
  characters: [Character, ...Character[]];
  /** The format of the current connection. */
  frames(): FrameFormat;
  mode: SessionMode;
  isDual: boolean;
  /** The character's message was played to its end. */
  messageEnded(): void;
  failed(error: Error): void;
}

/** Milliseconds of pause between two sections of a presenter, and between its greeting and the first section. */
const sectionPauseMs = 4000;
const greetingPauseMs = 800;
/** Shown for spoken words while their transcript is not known. */
const unknownWords = '…';

/** Processes the turns of a conversation one at a time: the user's words, then the character's message. */
export class TurnTaking {
  readonly #deps: TurnTakingDeps;
  #mode: Mode | undefined;
  #speaker: string | undefined;
  #player: MessagePlayer | undefined;
  #turn = 0;
  #utterance = 0;
  #cancelNextSection: () => void = () => {};

  constructor(deps: TurnTakingDeps) {
    this.#deps = deps;
  }

  /** Plays the character's current message; `undefined` while the character is silent. */
  get player(): MessagePlayer | undefined {
    return this.#player;
  }

  open(): void {
    this.#start((signal) => this.#deps.dialogue.open(signal));
  }

  /** Handles the user's words: stops the current message, sends the user's message and starts the answer. */
  userSaid(id: string, text: string, hearingMs?: number): void {
    this.#stop();
    this.#deps.timers.userSpoke();
    this.#deps.outbox.send({ type: 'message', id, role: 'user', status: 'final', text });
    this.#deps.observer.said('user', text);
    this.#start((signal) => this.#deps.dialogue.answer(text, signal), hearingMs);
  }

  /** Starts the answer to words that the partner has heard itself. `transcribed` follows. */
  userSpoke(id: string, answer: (signal: AbortSignal) => AsyncIterable<Said>): void {
    this.#stop();
    this.#deps.timers.userSpoke();
    // Reserves the place of the user's message before that of the answer.
    this.#deps.outbox.send({ type: 'message', id, role: 'user', status: 'partial', text: unknownWords });
    this.#start(answer);
  }

  /** Sends the words that the partner has heard. Empty if it could not transcribe them. */
  transcribed(id: string, text: string, status: 'partial' | 'final'): void {
    this.#deps.outbox.send({ type: 'message', id, role: 'user', status, text: text || unknownWords });
    if (status === 'final' && text !== '') this.#deps.observer.said('user', text);
  }

  /** Sends an error event and lets the character apologise in one sentence after an engine failure. */
  apologise(code: RuntimeErrorCode, message: string): void {
    this.#stop();
    this.error(code, message);
    const sorry = this.#deps.dialogue.sorry();
    this.#start(async function* () {
      yield sorry;
    });
  }

  /** Whether words are what the character is saying: the microphone picked up its voice. A learner repeats them on purpose. */
  isEcho(text: string): boolean {
    return !this.#deps.isDual && this.#player !== undefined && isPartOf(text, this.#player.text);
  }

  /** Stops the character. If it is silent, the idle timer keeps running. */
  interrupt(): void {
    if (this.#stop()) this.#listen();
    this.postponeNextSection();
  }

  /** The user typed or spoke: restarts the idle timer. */
  activity(): void {
    this.#deps.timers.userSpoke();
    if (this.#player !== undefined) return;
    this.#deps.timers.startIdleTimer();
    this.postponeNextSection();
  }

  /** Restarts a presenter's pause before its next section. */
  postponeNextSection(): void {
    if (this.#player === undefined) this.#scheduleNextSection(sectionPauseMs);
  }

  /** Sends the current mode again after a resume. */
  repeatMode(): void {
    if (this.#mode !== undefined) this.#sendMode();
  }

  error(code: RuntimeErrorCode, message: string, re?: string): void {
    const cause = re === undefined ? {} : { re };
    this.#deps.outbox.send({ type: 'error', code, message, fatal: false, ...cause });
  }

  close(): void {
    this.#stop();
  }

  /** Stops the current message; returns `false` if there is none. */
  #stop(): boolean {
    this.#cancelNextSection();
    const player = this.#player;
    if (player === undefined) return false;
    this.#player = undefined;
    this.#remember(player.stop());
    return true;
  }

  #remember({ said, heard }: Outcome): void {
    if (said !== '') this.#deps.observer.said('character', heard);
    this.#deps.dialogue.remember(said, heard);
  }

  #start(say: (signal: AbortSignal) => AsyncIterable<Said>, hearingMs?: number): void {
    this.#cancelNextSection();
    this.#deps.timers.stopIdleTimer();
    const turn = ++this.#turn;
    this.#setMode('thinking', this.#deps.characters[0].characterId);
    const { clock, outbox, speechOutput, timers, observer, dialogue, isDual, failed, frames } = this.#deps;
    let isSpeechBroken = false;
    const speechFailed = (error: Error) => {
      observer.engineFailed('speech', error);
      if (!isSpeechBroken) this.error('SPEECH_FAILED', 'Speech synthesis failed; the text is shown instead.');
      isSpeechBroken = true;
    };
    const deps = {
      ...{ clock, outbox, isDual, failed, frames, sampleRate: speechOutput.sampleRate },
      nextUtterance: () => {
        this.#utterance = (this.#utterance + 1) % 65_536;
        return this.#utterance;
      },
      prepare: (said: Said, signal: AbortSignal) =>
        speechOutput.prepare(this.#sentence(said), signal, speechFailed),
      mindFailed: (error: Error) => {
        observer.engineFailed('mind', error);
        this.error('MIND_FAILED', 'The mind failed; please say it again.');
        return dialogue.sorry();
      },
      speaking: (characterId: string) => this.#setMode('speaking', characterId),
      started: (times: StartTimes) => this.#sendMetrics(turn, times, hearingMs),
      stalled: (isStalled: boolean) => (isStalled ? timers.startIdleTimer() : timers.stopIdleTimer()),
      finished: (outcome: Outcome) => this.#finished(turn, outcome),
    };
    this.#player = new MessagePlayer(deps, `msg_${randomUUID()}`, say);
  }

  #finished(turn: number, outcome: Outcome): void {
    this.#player = undefined;
    this.#remember(outcome);
    this.#listen();
    const items = this.#deps.dialogue.suggestions();
    if (items.length > 0) this.#deps.outbox.send({ type: 'suggestions', items });
    this.#scheduleNextSection(turn === 1 ? greetingPauseMs : sectionPauseMs);
    this.#deps.messageEnded();
  }

  #sendMetrics(turn: number, { mindMs, speechMs, totalMs }: StartTimes, hearingMs: number | undefined): void {
    const times = {
      ...(hearingMs === undefined ? {} : { hearingMs: Math.round(hearingMs) }),
      mindMs: Math.round(mindMs),
      speechMs: Math.round(speechMs),
      totalMs: Math.round(totalMs + (hearingMs ?? 0)),
    };
    this.#deps.outbox.send({ type: 'metrics', turn, ...times });
    this.#deps.observer.turn(times);
  }

  #sentence({ text, locale, characterId }: Said) {
    const { characters, dialogue } = this.#deps;
    const settings = characters.find((one) => one.characterId === characterId)?.voice ?? {};
    return { text, locale, voice: { characterId, settings, pace: dialogue.pace } };
  }

  /** Schedules a presenter's next section unless the user speaks first. */
  #scheduleNextSection(ms: number): void {
    this.#cancelNextSection();
    if (this.#deps.mode !== 'presenter') return;
    this.#cancelNextSection = this.#deps.clock.after(ms, () => {
      const more = this.#player === undefined ? this.#deps.dialogue.nextSection() : undefined;
      if (more !== undefined) this.#start(() => more);
    });
  }

  #listen(): void {
    this.#setMode('listening');
    this.#deps.timers.startIdleTimer();
  }

  #setMode(mode: Mode, characterId?: string): void {
    if (this.#mode === mode && this.#speaker === characterId) return;
    this.#mode = mode;
    this.#speaker = characterId;
    this.#sendMode();
  }

  #sendMode(): void {
    const speaker = this.#speaker === undefined ? {} : { characterId: this.#speaker };
    this.#deps.outbox.send({ type: 'mode', mode: this.#mode!, ...speaker });
  }
}
