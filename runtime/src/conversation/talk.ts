import { randomUUID } from 'node:crypto';
import type { Mode, RuntimeErrorCode } from '@session-launch/contract/runtime/protocol';
import type { Mode as SessionMode } from '@session-launch/contract/session';
import type { Clock } from '../clock.ts';
import type { Character, Dialogue, Said } from '../mind/mind.ts';
import type { Outbox } from './outbox.ts';
import type { SessionTimers } from './session-timers.ts';
import { Telling } from './telling.ts';
import type { Voicing } from './voicing.ts';

export interface Observer {
  turn(times: { hearingMs?: number; mindMs: number; speechMs: number; totalMs: number }): void;
  engineFailed(engine: 'mind' | 'speech' | 'hearing', error: Error): void;
  /** An unexpected error ended the conversation. */
  failed(sessionId: string, error: Error): void;
  /** The text of a message, which is personal data: log it at the most verbose level only. */
  said(role: 'user' | 'character', text: string): void;
}

export interface TalkDeps {
  clock: Clock;
  outbox: Outbox;
  dialogue: Dialogue;
  voicing: Voicing;
  timers: SessionTimers;
  observer: Observer;
  characters: [Character, ...Character[]];
  mode: SessionMode;
  isDual: boolean;
  /** Called when neither the user nor the character speaks. */
  fellSilent(): void;
  failed(error: Error): void;
}

/** Milliseconds of pause between two sections of a presenter, and between its greeting and the first section. */
const questionsMs = 4000;
const breathMs = 800;

/** Turn-taking: processes the turns of a conversation one at a time. */
export class Talk {
  readonly #deps: TalkDeps;
  #mode: Mode | undefined;
  #speaker: string | undefined;
  #telling: Telling | undefined;
  #turn = 0;
  #utterance = 0;
  #cancelGoOn: () => void = () => {};

  constructor(deps: TalkDeps) {
    this.#deps = deps;
  }

  /** The character's message that is being generated or played. */
  get telling(): Telling | undefined {
    return this.#telling;
  }

  open(): void {
    this.#start((signal) => this.#deps.dialogue.open(signal));
  }

  /** Handles the user's words: stops the current message, sends the user's message and starts the answer. */
  hear(id: string, text: string, hearingMs?: number): void {
    this.#stop();
    this.#deps.timers.userSpoke();
    this.#deps.outbox.send({ type: 'message', id, role: 'user', status: 'final', text });
    this.#deps.observer.said('user', text);
    this.#start((signal) => this.#deps.dialogue.answer(text, signal), hearingMs);
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

  /** Stops the character. If it is silent, the idle timer keeps running. */
  interrupt(): void {
    if (this.#stop()) this.#listen();
    this.postponeSection();
  }

  /** The user typed or spoke: restarts the idle timer. */
  activity(): void {
    this.#deps.timers.userSpoke();
    if (this.#telling !== undefined) return;
    this.#deps.timers.quiet();
    this.postponeSection();
  }

  /** Restarts a presenter's pause before its next section. */
  postponeSection(): void {
    if (this.#telling === undefined) this.#planToGoOn(questionsMs);
  }

  /** Sends the current mode again after a resume. */
  repeatMode(): void {
    if (this.#mode !== undefined) this.#sendMode();
  }

  error(code: RuntimeErrorCode, message: string, re?: string): void {
    this.#deps.outbox.send({
      type: 'error',
      code,
      message,
      fatal: false,
      ...(re === undefined ? {} : { re }),
    });
  }

  close(): void {
    this.#stop();
  }

  /** Stops the current message; returns `false` if there is none. */
  #stop(): boolean {
    this.#cancelGoOn();
    const telling = this.#telling;
    if (telling === undefined) return false;
    this.#telling = undefined;
    telling.stop();
    this.#remember(telling.told);
    return true;
  }

  #remember({ said, heard }: { said: string; heard: string }): void {
    if (said !== '') this.#deps.observer.said('character', heard);
    this.#deps.dialogue.remember(said, heard);
  }

  #start(say: (signal: AbortSignal) => AsyncIterable<Said>, hearingMs?: number): void {
    this.#cancelGoOn();
    this.#deps.timers.busy();
    const turn = ++this.#turn;
    const telling = this.#newTelling(turn, hearingMs);
    this.#telling = telling;
    this.#setMode('thinking', this.#deps.characters[0].characterId);
    const told = telling.tell(say(telling.signal)).then((told) => {
      if (this.#telling !== telling) return;
      this.#telling = undefined;
      this.#remember(told);
      this.#listen();
      const items = this.#deps.dialogue.suggestions();
      if (items.length > 0) this.#deps.outbox.send({ type: 'suggestions', items });
      this.#planToGoOn(turn === 1 ? breathMs : questionsMs);
      this.#deps.fellSilent();
    });
    told.catch(this.#deps.failed);
  }

  #newTelling(turn: number, hearingMs: number | undefined): Telling {
    const { clock, outbox, voicing, timers, observer, dialogue, isDual } = this.#deps;
    let isSpeechBroken = false;
    const speechFailed = (error: Error) => {
      observer.engineFailed('speech', error);
      if (!isSpeechBroken) this.error('SPEECH_FAILED', 'The voice failed; the text is shown instead.');
      isSpeechBroken = true;
    };
    return new Telling(
      {
        clock,
        outbox,
        sampleRate: voicing.sampleRate,
        isDual,
        nextUtterance: () => {
          this.#utterance = (this.#utterance + 1) % 65_536;
          return this.#utterance;
        },
        voice: (said, signal) => voicing.voice(this.#sentence(said), signal, speechFailed),
        mindFailed: (error) => {
          observer.engineFailed('mind', error);
          this.error('MIND_FAILED', 'The mind failed; please say it again.');
          return dialogue.sorry();
        },
        speaking: (characterId) => this.#setMode('speaking', characterId),
        started: ({ mindMs, speechMs, totalMs }) => {
          const hearing = hearingMs === undefined ? {} : { hearingMs: Math.round(hearingMs) };
          const times = {
            ...hearing,
            mindMs: Math.round(mindMs),
            speechMs: Math.round(speechMs),
            totalMs: Math.round(totalMs + (hearingMs ?? 0)),
          };
          outbox.send({ type: 'metrics', turn, ...times });
          observer.turn(times);
        },
        stalled: (isStalled) => (isStalled ? timers.quiet() : timers.busy()),
      },
      `msg_${randomUUID()}`,
    );
  }

  #sentence({ text, locale, characterId }: Said) {
    const { characters, dialogue } = this.#deps;
    const settings = characters.find((one) => one.characterId === characterId)?.voice ?? {};
    return { text, locale, voice: { characterId, settings, pace: dialogue.pace } };
  }

  /** Schedules a presenter's next section unless the user speaks first. */
  #planToGoOn(ms: number): void {
    this.#cancelGoOn();
    if (this.#deps.mode !== 'presenter') return;
    this.#cancelGoOn = this.#deps.clock.after(ms, () => {
      const more = this.#telling === undefined ? this.#deps.dialogue.goOn() : undefined;
      if (more !== undefined) this.#start(() => more);
    });
  }

  #listen(): void {
    this.#setMode('listening');
    this.#deps.timers.quiet();
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
