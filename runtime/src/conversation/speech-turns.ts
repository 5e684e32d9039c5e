import { audioFrame } from '@session-launch/contract/runtime/protocol';
import type { SpeechInputMode } from '@session-launch/contract/session';
import type { Clock } from '../clock.ts';
import { TurnDetector, type TurnDetectorCalls } from '../hearing/turn-detector.ts';
import type { Detector } from '../hearing/voice-activity.ts';
import { concatenated } from '../samples.ts';
import type { ListeningCalls, SpeechInput } from './partner.ts';

export interface SpeechTurnsDeps {
  clock: Clock;
  detector: () => Detector;
  mode: SpeechInputMode;
  /** Milliseconds of speech after which it interrupts the character. */
  bargeInMs?: number;
}

export interface SpeechTurnsCalls extends Pick<ListeningCalls, 'activity' | 'speaking' | 'pressed'> {
  /** A turn has begun. */
  began?(): void;
  /** Audio of the current turn as it arrives. */
  heard?(samples: Int16Array): void;
  /** The user pressed the button, or has spoken for longer than a short sound. */
  bargedIn(): void;
  /** The user pauses; the turn ends unless speech follows. `samples` is its audio up to now. */
  paused?(samples: Int16Array): void;
  /** The user continues the turn after a pause. */
  continued?(): void;
  /** The turn has ended; `samples` is its audio. */
  ended(samples: Int16Array): void;
  /** The button was released so early that there is no turn. */
  tooShort(): void;
}

/** Maximum milliseconds of a push-to-talk recording. */
const longestMs = 120_000;
/** Milliseconds without frames after which a turn ends: a muted or unplugged microphone sends no frames. */
const noFramesMs = 2000;
/** The same limit in milliseconds while the push-to-talk button is pressed: the connection may be slow. */
const noFramesWhilePressedMs = 10_000;
/** Minimum samples of a recording: 100 ms. */
const shortestSamples = (audioFrame.inputSampleRate * 100) / 1000;
/** Minimum absolute sample value, of 32,767, that counts as activity. */
const audibleAmplitude = 300;
/** Minimum milliseconds between two `activity` calls while audio arrives. */
const activityMs = 500;

/** Segments microphone audio into turns, by voice activity or by `audio.start` and `audio.end`. */
export class SpeechTurns implements SpeechInput {
  readonly #deps: SpeechTurnsDeps;
  readonly #calls: SpeechTurnsCalls;
  readonly #turnDetector: TurnDetector | undefined;
  /** Audio since `audio.start`; `undefined` unless the push-to-talk button is pressed. */
  #recording: Int16Array[] | undefined;
  #recordedSamples = 0;
  #isRecordingAudible = false;
  #activeAt = Number.NEGATIVE_INFINITY;
  #frameAt = 0;
  #isExpectingFrames = false;
  #cancelFrameTimeout: () => void = () => {};

  constructor(deps: SpeechTurnsDeps, calls: SpeechTurnsCalls) {
    this.#deps = deps;
    this.#calls = calls;
    if (deps.mode !== 'auto') return;
    const turnCalls = {
      began: () => {
        calls.activity();
        calls.speaking(true);
        calls.began?.();
      },
      heard: (samples) => calls.heard?.(samples),
      bargedIn: () => calls.bargedIn(),
      paused: (samples) => calls.paused?.(samples),
      continued: () => calls.continued?.(),
      ended: (samples) => {
        calls.activity();
        calls.speaking(false);
        calls.ended(samples);
      },
    } satisfies TurnDetectorCalls;
    this.#turnDetector = new TurnDetector(deps.detector(), turnCalls, deps.bargeInMs);
  }

  /** Whether a turn is in progress. */
  get isListening(): boolean {
    return this.#recording !== undefined || this.#turnDetector?.isSpeaking === true;
  }

  /** The transcript of the turn is an unfinished sentence: requires a longer pause to end the turn. */
  waitLonger(): void {
    this.#turnDetector?.waitLonger();
  }

  push(samples: Int16Array): void {
    if (this.#recording !== undefined) {
      this.#recordedSamples += samples.length;
      this.#recording.push(samples);
      this.#calls.heard?.(samples);
      if (samples.some((sample) => Math.abs(sample) >= audibleAmplitude)) {
        this.#isRecordingAudible = true;
        this.#active();
      }
      if (this.#recordedSamples > (longestMs * audioFrame.inputSampleRate) / 1000) this.end();
    } else {
      this.#turnDetector?.push(samples);
      if (this.#turnDetector?.isSpeaking) this.#active();
    }
    this.#frameAt = this.#deps.clock.now();
    this.#expectFrames();
  }

  start(): void {
    // Pressed again without a release, as after a lost connection: the recording goes on, and so does its limit.
    if (this.#recording !== undefined) return;
    this.#recording = [];
    this.#recordedSamples = 0;
    this.#isRecordingAudible = false;
    this.#frameAt = this.#deps.clock.now();
    this.#calls.pressed();
    this.#calls.speaking(true);
    this.#calls.began?.();
    this.#calls.bargedIn();
    this.#expectFrames();
  }

  end(): void {
    const recording = this.#recording;
    this.#recording = undefined;
    if (recording === undefined) {
      this.#turnDetector?.end();
      return;
    }
    this.#calls.speaking(false);
    const samples = concatenated(recording);
    if (samples.length < shortestSamples) {
      this.#calls.tooShort();
      return;
    }
    if (this.#isRecordingAudible) this.#calls.activity();
    this.#calls.ended(samples);
  }

  close(): void {
    this.#cancelFrameTimeout();
    this.#turnDetector?.close();
  }

  #active(): void {
    const now = this.#deps.clock.now();
    if (now - this.#activeAt < activityMs) return;
    this.#activeAt = now;
    this.#calls.activity();
  }

  /** Ends the turn when frames stop arriving during it. */
  #expectFrames(): void {
    if (this.#isExpectingFrames || !this.isListening) return;
    this.#isExpectingFrames = true;
    const { clock } = this.#deps;
    const timeoutMs = this.#recording === undefined ? noFramesMs : noFramesWhilePressedMs;
    this.#cancelFrameTimeout = clock.after(this.#frameAt + timeoutMs - clock.now(), () => {
      this.#isExpectingFrames = false;
      if (clock.now() - this.#frameAt >= timeoutMs) this.end();
      else this.#expectFrames();
    });
  }
}
