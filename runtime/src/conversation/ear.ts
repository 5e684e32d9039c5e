import { audioFrame } from '@session-launch/contract/runtime/protocol';
import type { SpeechInputMode } from '@session-launch/contract/session';
import type { Clock } from '../clock.ts';
import { EngineError } from '../endpoint.ts';
import type { Hearing } from '../hearing/hearing.ts';
import { concatenated, Turns } from '../hearing/turns.ts';
import type { Detector } from '../hearing/voice-activity.ts';

export interface EarDeps {
  clock: Clock;
  hearing: Hearing;
  detector: () => Detector;
  mode: SpeechInputMode;
  /** Absent where people speak more than one language: the engine finds out which. */
  locale: string | undefined;
}

export interface EarCalls {
  /** Somebody speaks, or has stopped. */
  activity(): void;
  /** Somebody speaks in earnest while the character does: it falls silent for now. */
  bargeIn(): void;
  /** Those were no words: the character goes on. */
  takenBack(): void;
  words(text: string, hearingMs: number): void;
  failed(error: Error): void;
}

const patienceMs = 20_000;
const wordsWithinMs = 2000;
const longestMs = 120_000;
/** A microphone that was muted, unplugged or cut off in the middle of a word sends no silence after it. */
const soundlessMs = 2000;
/** Who keeps a button pressed means to go on; their connection may be slow. */
const soundlessWhilePressedMs = 10_000;
const shortestSamples = (audioFrame.inputSampleRate * 100) / 1000;

/** Listens to a microphone: finds turns by itself, or takes what stands between `audio.start` and `audio.end`. */
export class Ear {
  readonly #deps: EarDeps;
  readonly #calls: EarCalls;
  readonly #turns: Turns | undefined;
  readonly #closed = new AbortController();
  /** What was said since `audio.start`. */
  #recording: Int16Array[] | undefined;
  #recordedSamples = 0;
  #isInterrupting = false;
  #transcribing = 0;
  #heardAt = 0;
  #isWaiting = false;
  #cancelWait: () => void = () => {};
  #cancelTakeBack: () => void = () => {};

  constructor(deps: EarDeps, calls: EarCalls) {
    this.#deps = deps;
    this.#calls = calls;
    if (deps.mode !== 'auto') return;
    this.#turns = new Turns(deps.detector(), {
      began: () => calls.activity(),
      persisted: () => this.#bargeIn(),
      ended: (samples) => void this.#transcribe(samples),
    });
  }

  hear(samples: Int16Array): void {
    if (this.#recording !== undefined) {
      this.#recordedSamples += samples.length;
      this.#recording.push(samples);
      if (this.#recordedSamples > (longestMs * audioFrame.inputSampleRate) / 1000) this.end();
    } else this.#turns?.hear(samples);
    this.#heardAt = this.#deps.clock.now();
    this.#expectSound();
  }

  /** The listener presses to talk. */
  start(): void {
    this.#recording = [];
    this.#recordedSamples = 0;
    this.#heardAt = this.#deps.clock.now();
    this.#calls.activity();
    this.#bargeIn();
    this.#expectSound();
  }

  /** The listener lets go, or mutes the microphone. */
  end(): void {
    const recording = this.#recording;
    this.#recording = undefined;
    if (recording === undefined) {
      this.#turns?.end();
      return;
    }
    const samples = concatenated(recording);
    if (samples.length < shortestSamples) this.#takeBack();
    else void this.#transcribe(samples);
  }

  close(): void {
    this.#closed.abort(new Error('the session is over'));
    this.#cancelTakeBack();
    this.#cancelWait();
    this.#turns?.close();
  }

  get #isListening(): boolean {
    return this.#recording !== undefined || this.#turns?.isSpeaking === true;
  }

  /** As long as somebody speaks, sound has to go on coming. */
  #expectSound(): void {
    if (this.#isWaiting || !this.#isListening) return;
    this.#isWaiting = true;
    const { clock } = this.#deps;
    const patience = this.#recording === undefined ? soundlessMs : soundlessWhilePressedMs;
    this.#cancelWait = clock.after(this.#heardAt + patience - clock.now(), () => {
      this.#isWaiting = false;
      if (clock.now() - this.#heardAt >= patience) this.end();
      else this.#expectSound();
    });
  }

  #bargeIn(): void {
    this.#isInterrupting = true;
    this.#calls.bargeIn();
    this.#expectWords();
  }

  /** Words have to follow soon, once it is quiet and nothing is being transcribed. */
  #expectWords(): void {
    this.#cancelTakeBack();
    this.#cancelTakeBack = this.#deps.clock.after(wordsWithinMs, () => {
      if (!this.#isInterrupting) return;
      if (this.#transcribing > 0 || this.#isListening) this.#expectWords();
      else this.#takeBack();
    });
  }

  #takeBack(): void {
    this.#cancelTakeBack();
    if (!this.#isInterrupting) return;
    this.#isInterrupting = false;
    this.#calls.takenBack();
  }

  async #transcribe(samples: Int16Array): Promise<void> {
    const { clock, hearing, locale } = this.#deps;
    this.#calls.activity();
    this.#transcribing++;
    const startedAt = clock.now();
    const stop = new AbortController();
    const cancel = clock.after(patienceMs, () =>
      stop.abort(new EngineError(0, 'the hearing engine did not answer in time')),
    );
    const leave = () => stop.abort(this.#closed.signal.reason);
    this.#closed.signal.addEventListener('abort', leave, { once: true });
    try {
      const sound = { sampleRate: audioFrame.inputSampleRate, samples };
      const text = (await hearing.transcribe(sound, locale, stop.signal)).trim();
      if (this.#closed.signal.aborted) return;
      if (text === '') this.#takeBack();
      else {
        this.#isInterrupting = false;
        this.#cancelTakeBack();
        this.#calls.words(text, clock.now() - startedAt);
      }
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      this.#isInterrupting = false;
      this.#cancelTakeBack();
      this.#calls.failed(error as Error);
    } finally {
      this.#transcribing--;
      cancel();
      this.#closed.signal.removeEventListener('abort', leave);
    }
  }
}
