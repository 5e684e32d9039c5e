import { audioFrame } from '@session-launch/contract/runtime/protocol';
import { EngineError } from '../endpoint.ts';
import type { Hearing, HearingSession } from '../hearing/hearing.ts';
import { concatenated } from '../samples.ts';
import { unlessAborted, withTimeout } from '../timeout.ts';
import type { ListeningCalls, SpeechInput } from './partner.ts';
import { SpeechTurns, type SpeechTurnsDeps } from './speech-turns.ts';
import { isUnfinished } from './unfinished.ts';

export interface TranscribedSpeechDeps extends SpeechTurnsDeps {
  hearing: Hearing;
  session: HearingSession;
  /** Absent for sessions in two languages: the engine then detects the language. */
  locale: string | undefined;
}

/** Timeout of one transcription, in milliseconds. */
const transcriptionMs = 20_000;
/** Milliseconds of speech that pause the character. It continues if no words follow, so this may be short. */
const bargeInMs = 160;
/** Milliseconds after a barge-in in which words have to follow; otherwise the character continues. */
const noSpeechMs = 2000;

/** A transcription that was started in a pause, in case that the turn ends with it. */
interface Early {
  text: Promise<string>;
  stop: AbortController;
}

/** Transcribes the user's turns. One transcription runs at a time; turns that end during it are concatenated and transcribed next. */
export class TranscribedSpeech implements SpeechInput {
  readonly #deps: TranscribedSpeechDeps;
  readonly #calls: ListeningCalls;
  readonly #turns: SpeechTurns;
  readonly #closed = new AbortController();
  #isInterrupting = false;
  /** Turns queued behind the transcription in flight. */
  #queued: Int16Array[] = [];
  #queuedSince = 0;
  #isTranscribing = false;
  #early: Early | undefined;
  /** The microphone has picked up the character's voice: a sound no longer pauses the character, only words do. */
  #hasEcho = false;
  #cancelNoSpeech: () => void = () => {};

  constructor(deps: TranscribedSpeechDeps, calls: ListeningCalls) {
    this.#deps = deps;
    this.#calls = calls;
    this.#turns = new SpeechTurns(
      { ...deps, bargeInMs },
      {
        activity: () => calls.activity(),
        speaking: (isSpeaking) => calls.speaking(isSpeaking),
        pressed: () => calls.pressed(),
        bargedIn: () => this.#bargeIn(),
        began: () => this.#dropEarly(),
        paused: (samples) => this.#transcribeEarly(samples),
        continued: () => this.#dropEarly(),
        ended: (samples) => this.#transcribe(samples),
        tooShort: () => this.#reportNoSpeech(),
      },
    );
  }

  push(samples: Int16Array): void {
    this.#turns.push(samples);
  }

  start(): void {
    this.#turns.start();
  }

  end(): void {
    this.#turns.end();
  }

  close(): void {
    this.#closed.abort(new Error('the session has ended'));
    this.#dropEarly();
    this.#cancelNoSpeech();
    this.#turns.close();
  }

  #bargeIn(): void {
    if (this.#hasEcho && this.#deps.mode === 'auto') return;
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
      if (this.#isTranscribing || this.#turns.isListening) this.#expectWords();
      else this.#reportNoSpeech();
    });
  }

  #reportNoSpeech(): void {
    this.#cancelNoSpeech();
    if (!this.#isInterrupting) return;
    this.#isInterrupting = false;
    this.#calls.noSpeech();
  }

  /**
   * Transcribes the turn while it is not certain that it has ended, so that the answer starts sooner. Only on this machine: elsewhere each
   * transcription may cost money.
   */
  #transcribeEarly(samples: Int16Array): void {
    if (!this.#deps.hearing.isLocal || this.#isTranscribing) return;
    const stop = new AbortController();
    const early = { stop, text: this.#ask(samples, stop.signal) };
    this.#early = early;
    early.text.then(
      (text) => {
        if (this.#early === early && isUnfinished(text)) this.#turns.waitLonger();
      },
      // The turn is transcribed again when it ends.
      () => {
        if (this.#early === early) this.#early = undefined;
      },
    );
  }

  #dropEarly(): void {
    this.#early?.stop.abort(new Error('the user continues'));
    this.#early = undefined;
  }

  #ask(samples: Int16Array, signal: AbortSignal): Promise<string> {
    const { clock, hearing, locale, session } = this.#deps;
    const timeout = {
      ...{ clock, signal, ms: transcriptionMs },
      error: () => new EngineError(0, 'the hearing engine did not answer in time'),
    };
    const audio = { sampleRate: audioFrame.inputSampleRate, samples };
    return withTimeout(timeout, (signal) => hearing.transcribe(audio, locale, signal, session));
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
    const { clock } = this.#deps;
    const { signal } = this.#closed;
    const early = this.#early;
    this.#early = undefined;
    const again = () => this.#ask(samples, signal);
    try {
      const text = await (early === undefined ? again() : unlessAborted(early.text.catch(again), signal));
      if (!signal.aborted) this.#transcribed(text.trim(), clock.now() - endedAt);
    } catch (error) {
      if (signal.aborted) return;
      this.#stopInterrupting();
      this.#calls.failed(error as Error);
    }
  }

  #transcribed(text: string, hearingMs: number): void {
    const isEcho = this.#deps.mode === 'auto' && this.#calls.isEcho(text);
    if (isEcho) this.#hasEcho = true;
    if (text === '' || isEcho) this.#reportNoSpeech();
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
