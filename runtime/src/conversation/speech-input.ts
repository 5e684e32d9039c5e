import { audioFrame } from '@session-launch/contract/runtime/protocol';
import type { SpeechInputMode } from '@session-launch/contract/session';
import type { Clock } from '../clock.ts';
import { EngineError } from '../endpoint.ts';
import type { Hearing } from '../hearing/hearing.ts';
import { TurnDetector } from '../hearing/turn-detector.ts';
import type { Detector } from '../hearing/voice-activity.ts';
import { concatenated } from '../samples.ts';
import { withTimeout } from '../timeout.ts';

export interface SpeechInputDeps {
  clock: Clock;
  hearing: Hearing;
  detector: () => Detector;
  mode: SpeechInputMode;
  /** Absent for sessions in two languages: the engine then detects the language. */
  locale: string | undefined;
}

export interface SpeechInputCalls {
  /** The user is speaking or has just stopped. */
  activity(): void;
  /** The user pressed the push-to-talk button; no audio has arrived yet. */
  pressed(): void;
  /** The user speaks during the character's utterance: pauses the character. */
  bargeIn(): void;
  /** The transcript was empty: the character continues. */
  noSpeech(): void;
  words(text: string, hearingMs: number): void;
  failed(error: Error): void;
}

/** Timeout of one transcription, in milliseconds. */
const transcriptionMs = 20_000;
/** Milliseconds after a barge-in in which words have to follow; otherwise the character continues. */
const noSpeechMs = 2000;
/** Maximum milliseconds of a push-to-talk recording. */
const longestMs = 120_000;
/** Milliseconds without frames after which a turn ends: a muted or unplugged microphone sends no frames. */
const noFramesMs = 2000;
/** The same limit in milliseconds while the push-to-talk button is pressed: the connection may be slow. */
const noFramesWhilePressedMs = 10_000;
/** Minimum samples of a recording that is transcribed: 100 ms. */
const shortestSamples = (audioFrame.inputSampleRate * 100) / 1000;
/** Minimum absolute sample value, of 32,767, that counts as activity. */
const audibleAmplitude = 300;
/** Minimum milliseconds between two `activity` calls while audio arrives. */
const activityMs = 500;

/**
 * Segments microphone audio into turns, by voice activity or by `audio.start` and `audio.end`, and transcribes them. One transcription runs
 * at a time; turns that end during it are concatenated and transcribed next.
 */
export class SpeechInput {
  readonly #deps: SpeechInputDeps;
  readonly #calls: SpeechInputCalls;
  readonly #turnDetector: TurnDetector | undefined;
  readonly #closed = new AbortController();
  /** Audio since `audio.start`; `undefined` unless the push-to-talk button is pressed. */
  #recording: Int16Array[] | undefined;
  #recordedSamples = 0;
  #isRecordingAudible = false;
  #isInterrupting = false;
  /** Turns queued behind the transcription in flight. */
  #queued: Int16Array[] = [];
  #queuedSince = 0;
  #isTranscribing = false;
  #activeAt = Number.NEGATIVE_INFINITY;
  #frameAt = 0;
  #isExpectingFrames = false;
  #cancelFrameTimeout: () => void = () => {};
  #cancelNoSpeech: () => void = () => {};

  constructor(deps: SpeechInputDeps, calls: SpeechInputCalls) {
    this.#deps = deps;
    this.#calls = calls;
    if (deps.mode !== 'auto') return;
    this.#turnDetector = new TurnDetector(deps.detector(), {
      began: () => calls.activity(),
      bargedIn: () => this.#bargeIn(),
      ended: (samples) => {
        calls.activity();
        this.#transcribe(samples);
      },
    });
  }

  push(samples: Int16Array): void {
    if (this.#recording !== undefined) {
      this.#recordedSamples += samples.length;
      this.#recording.push(samples);
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

  /** The user pressed the push-to-talk button. */
  start(): void {
    this.#recording = [];
    this.#recordedSamples = 0;
    this.#isRecordingAudible = false;
    this.#frameAt = this.#deps.clock.now();
    this.#calls.pressed();
    this.#bargeIn();
    this.#expectFrames();
  }

  /** The user released the push-to-talk button or muted the microphone. */
  end(): void {
    const recording = this.#recording;
    this.#recording = undefined;
    if (recording === undefined) {
      this.#turnDetector?.end();
      return;
    }
    const samples = concatenated(recording);
    if (samples.length < shortestSamples) {
      this.#reportNoSpeech();
      return;
    }
    if (this.#isRecordingAudible) this.#calls.activity();
    this.#transcribe(samples);
  }

  close(): void {
    this.#closed.abort(new Error('the session has ended'));
    this.#cancelNoSpeech();
    this.#cancelFrameTimeout();
    this.#turnDetector?.close();
  }

  get #isListening(): boolean {
    return this.#recording !== undefined || this.#turnDetector?.isSpeaking === true;
  }

  #active(): void {
    const now = this.#deps.clock.now();
    if (now - this.#activeAt < activityMs) return;
    this.#activeAt = now;
    this.#calls.activity();
  }

  /** Ends the turn when frames stop arriving during it. */
  #expectFrames(): void {
    if (this.#isExpectingFrames || !this.#isListening) return;
    this.#isExpectingFrames = true;
    const { clock } = this.#deps;
    const timeoutMs = this.#recording === undefined ? noFramesMs : noFramesWhilePressedMs;
    this.#cancelFrameTimeout = clock.after(this.#frameAt + timeoutMs - clock.now(), () => {
      this.#isExpectingFrames = false;
      if (clock.now() - this.#frameAt >= timeoutMs) this.end();
      else this.#expectFrames();
    });
  }

  #bargeIn(): void {
    this.#isInterrupting = true;
    this.#calls.bargeIn();
    this.#expectWords();
  }

  /**
   * Resumes the character unless words arrive within `noSpeechMs`. The timeout restarts while the turn or its transcription continues.
   */
  #expectWords(): void {
    this.#cancelNoSpeech();
    this.#cancelNoSpeech = this.#deps.clock.after(noSpeechMs, () => {
      if (!this.#isInterrupting) return;
      if (this.#isTranscribing || this.#isListening) this.#expectWords();
      else this.#reportNoSpeech();
    });
  }

  #reportNoSpeech(): void {
    this.#cancelNoSpeech();
    if (!this.#isInterrupting) return;
    this.#isInterrupting = false;
    this.#calls.noSpeech();
  }

  #transcribe(samples: Int16Array): void {
    if (this.#queued.length === 0) this.#queuedSince = this.#deps.clock.now();
    this.#queued.push(samples);
    if (!this.#isTranscribing) void this.#transcribeQueued();
  }

  async #transcribeQueued(): Promise<void> {
    this.#isTranscribing = true;
    while (this.#queued.length > 0 && !this.#closed.signal.aborted)
      await this.#transcribeOne(concatenated(this.#queued.splice(0)), this.#queuedSince);
    this.#isTranscribing = false;
  }

  async #transcribeOne(samples: Int16Array, endedAt: number): Promise<void> {
    const { clock, hearing, locale } = this.#deps;
    const { signal } = this.#closed;
    const timeout = {
      ...{ clock, signal, ms: transcriptionMs },
      error: () => new EngineError(0, 'the hearing engine did not answer in time'),
    };
    const audio = { sampleRate: audioFrame.inputSampleRate, samples };
    try {
      const text = await withTimeout(timeout, (signal) => hearing.transcribe(audio, locale, signal));
      if (!signal.aborted) this.#transcribed(text.trim(), clock.now() - endedAt);
    } catch (error) {
      if (signal.aborted) return;
      this.#stopInterrupting();
      this.#calls.failed(error as Error);
    }
  }

  #transcribed(text: string, hearingMs: number): void {
    if (text === '') this.#reportNoSpeech();
    else {
      this.#stopInterrupting();
      this.#calls.words(text, hearingMs);
    }
  }

  #stopInterrupting(): void {
    this.#isInterrupting = false;
    this.#cancelNoSpeech();
  }
}
