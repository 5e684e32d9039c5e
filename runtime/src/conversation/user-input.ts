import { randomUUID } from 'node:crypto';
import type { Connected } from '@session-launch/contract/runtime/lifecycle';
import { audioFrame, bounds, type ClientMessage } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';
import type { Hearing } from '../hearing/hearing.ts';
import type { Detector } from '../hearing/voice-activity.ts';
import { RateWindow } from '../rate-window.ts';
import { type Refusal, tooManyTexts, tooMuchSound } from '../refusals.ts';
import { userSamples } from './audio-frames.ts';
import { Ear } from './ear.ts';
import type { Outbox } from './outbox.ts';
import { SeenIds } from './seen-ids.ts';
import { SoundBudget } from './sound-budget.ts';
import type { Talk } from './talk.ts';

export interface UserInputDeps {
  clock: Clock;
  connected: Pick<Connected, 'session' | 'limits'>;
  hearing: Hearing | 'page' | 'off';
  detector: (() => Detector) | undefined;
  talk: Talk;
  outbox: Outbox;
  hearingFailed(error: Error): void;
  /** Runs `work`; an error in it ends this conversation only. */
  safely(work: () => void): void;
}

type Message<T extends ClientMessage['type']> = Extract<ClientMessage, { type: T }>;

const mostSamples = (bounds.soundFrameMs * audioFrame.inputSampleRate) / 1000;

/** The user's typed texts, transcripts and audio, with rate limits that span all connections of a conversation. */
export class UserInput {
  readonly #deps: UserInputDeps;
  readonly #texts: RateWindow;
  readonly #sound: SoundBudget;
  readonly #seenIds = new SeenIds();
  readonly #ear: Ear | undefined;
  #lastInterim = '';
  /** Time of the first interim transcript since the last final one. */
  #interimsSince: number | undefined;

  constructor(deps: UserInputDeps) {
    this.#deps = deps;
    this.#texts = new RateWindow(deps.clock, bounds.textsPerTenSeconds, 10_000);
    this.#sound = new SoundBudget(deps.clock);
    this.#ear = this.#openEar();
  }

  text({ id, text }: Message<'text'>): void {
    if (this.#allowsText() && this.#seenIds.add(id)) this.#hear(id, text);
  }

  transcript({ id, text, status }: Message<'transcript'>): void {
    const { connected, talk, outbox } = this.#deps;
    if (status === 'final' && !this.#allowsText()) return;
    if (connected.session.speechInputMode === 'off') {
      talk.error('SPEECH_INPUT_OFF', 'This session takes no speech.', id);
      return;
    }
    if (text.trim() === '' || this.#seenIds.has(id)) return;
    if (status === 'final') {
      if (this.#seenIds.add(id)) this.#hear(id, text);
      return;
    }
    talk.postponeSection();
    if (this.#isActivity(text)) talk.activity();
    outbox.send({ type: 'message', id, role: 'user', status: 'partial', text });
  }

  press({ type }: Message<'audio.start' | 'audio.end'>): void {
    if (this.#ear === undefined)
      this.#deps.talk.error('SPEECH_INPUT_OFF', 'This session takes no sound.', type);
    else if (type === 'audio.start') this.#ear.start();
    else this.#ear.end();
  }

  /** Handles a binary frame of the client. */
  sound(frame: Uint8Array): void {
    if (this.#ear === undefined) return;
    const { talk } = this.#deps;
    const samples = userSamples(frame);
    if (samples === undefined)
      talk.error('INVALID_MESSAGE', 'The binary frame is not a frame of user audio.', 'audio');
    else if (samples.length > mostSamples)
      talk.error('INVALID_MESSAGE', `An audio frame holds at most ${bounds.soundFrameMs} ms.`, 'audio');
    else if (!this.#sound.take(samples.length)) this.#refuse(tooMuchSound());
    else this.#ear.hear(samples);
  }

  /** Called when the client has resumed on another connection. */
  resumed(): void {
    this.#sound.resumed();
  }

  close(): void {
    this.#ear?.close();
  }

  #hear(id: string, text: string, hearingMs?: number): void {
    this.#lastInterim = '';
    this.#interimsSince = undefined;
    this.#deps.talk.hear(id, text, hearingMs);
  }

  #allowsText(): boolean {
    const isAllowed = this.#texts.allows();
    if (!isAllowed) this.#refuse(tooManyTexts());
    return isAllowed;
  }

  #refuse(refusal: Refusal): void {
    this.#deps.outbox.line?.refuse(refusal);
  }

  /**
   * Whether an interim transcript restarts the idle timer: it has to differ from the last one, and without a final transcript interim ones
   * count only for the length of the idle limit.
   */
  #isActivity(text: string): boolean {
    const { clock, connected } = this.#deps;
    if (text === this.#lastInterim) return false;
    this.#lastInterim = text;
    this.#interimsSince ??= clock.now();
    return clock.now() - this.#interimsSince < connected.limits.idleSeconds * 1000;
  }

  #openEar(): Ear | undefined {
    const { clock, connected, hearing, detector, talk, hearingFailed, safely } = this.#deps;
    const { speechInputMode: mode, locale, secondaryLocale } = connected.session;
    if (typeof hearing === 'string' || detector === undefined || mode === 'off') return undefined;
    return new Ear(
      // Sessions in two languages pass no locale: the engine detects which one is spoken.
      { clock, hearing, detector, mode, locale: secondaryLocale === undefined ? locale : undefined },
      {
        activity: () => talk.activity(),
        pressed: () => talk.postponeSection(),
        bargeIn: () => talk.telling?.hold(),
        takenBack: () => talk.telling?.release(),
        words: (text, hearingMs) =>
          safely(() => {
            if (this.#allowsText()) this.#hear(randomUUID(), text, hearingMs);
            else talk.telling?.release();
          }),
        failed: (error) => {
          hearingFailed(error);
          safely(() =>
            talk.apologise('HEARING_FAILED', 'That could not be understood; please say it again.'),
          );
        },
      },
    );
  }
}
