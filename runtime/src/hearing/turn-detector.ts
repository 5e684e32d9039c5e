import { concatenated } from '../samples.ts';
import type { Detector } from './voice-activity.ts';

export interface TurnDetectorCalls {
  began(): void;
  /** Audio of the current turn as it arrives. The first call includes the audio before its start. */
  heard?(samples: Int16Array): void;
  /** Called once per turn, after the given milliseconds of speech. */
  bargedIn(): void;
  /** The speaker has been silent for `pauseMs`; the turn may end. `samples` is its audio. */
  paused?(samples: Int16Array): void;
  /** The speaker continues after such a pause. */
  continued?(): void;
  ended(samples: Int16Array): void;
}

const startMs = 160;
const endMs = 500;
/** Milliseconds of silence that end a turn whose words do not end a sentence. */
const unfinishedEndMs = 1100;
const pauseMs = 200;
/** Milliseconds of speech after which it interrupts the character, unless the caller asks for less. */
const defaultBargeInMs = 300;
/** Pauses up to this many milliseconds do not reset the speech counter. */
const forgivenMs = 60;
/** Milliseconds of audio before the start of a turn that are included, so that its first phone is not cut off. */
const leadMs = 300;
const longestMs = 60_000;

/** Detects the start and the end of turns in an audio stream. */
export class TurnDetector {
  readonly #detector: Detector;
  readonly #calls: TurnDetectorCalls;
  readonly #bargeInMs: number;
  #kept: Int16Array[] = [];
  #speechMs = 0;
  #silenceMs = 0;
  #isSpeaking = false;
  #hasBargedIn = false;
  #isPaused = false;
  #endMs = endMs;

  constructor(detector: Detector, calls: TurnDetectorCalls, bargeInMs = defaultBargeInMs) {
    this.#detector = detector;
    this.#calls = calls;
    this.#bargeInMs = bargeInMs;
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  push(samples: Int16Array): void {
    this.#detector.push(samples, (step, isSpeech) => this.#step(step.slice(), isSpeech));
  }

  /** Ends the current turn, because no more audio will arrive. */
  end(): void {
    if (this.#isSpeaking) this.#done();
  }

  /** Requires a longer silence to end the turn in the current pause. */
  waitLonger(): void {
    if (this.#isPaused) this.#endMs = unfinishedEndMs;
  }

  close(): void {
    this.#detector.close();
  }

  #step(samples: Int16Array, isSpeech: boolean): void {
    const { ms } = this.#detector;
    this.#kept.push(samples);
    this.#silenceMs = isSpeech ? 0 : this.#silenceMs + ms;
    if (isSpeech) this.#speechMs += ms;
    if (this.#isSpeaking) {
      this.#calls.heard?.(samples);
      this.#go();
    } else if (this.#silenceMs > forgivenMs) this.#speechMs = 0;
    if (!this.#isSpeaking && this.#speechMs >= startMs) {
      this.#isSpeaking = true;
      this.#calls.began();
      this.#calls.heard?.(concatenated(this.#kept));
      this.#checkBargeIn();
    }
    if (!this.#isSpeaking) this.#kept.splice(0, Math.max(0, this.#kept.length - leadMs / ms));
  }

  #checkBargeIn(): void {
    if (this.#hasBargedIn || this.#speechMs < this.#bargeInMs) return;
    this.#hasBargedIn = true;
    this.#calls.bargedIn();
  }

  #go(): void {
    this.#checkBargeIn();
    if (this.#isPaused && this.#silenceMs === 0) {
      this.#isPaused = false;
      this.#endMs = endMs;
      this.#calls.continued?.();
    } else if (!this.#isPaused && this.#silenceMs >= pauseMs) {
      this.#isPaused = true;
      this.#calls.paused?.(concatenated(this.#kept));
    }
    if (this.#silenceMs < this.#endMs && this.#kept.length * this.#detector.ms < longestMs) return;
    this.#done();
  }

  #done(): void {
    const kept = this.#kept;
    this.#kept = [];
    this.#isSpeaking = false;
    this.#hasBargedIn = false;
    this.#isPaused = false;
    this.#endMs = endMs;
    this.#speechMs = 0;
    this.#calls.ended(concatenated(kept));
  }
}
