import { systemClock } from '../clock.ts';
import { EngineError } from '../endpoint.ts';
import type { LiveSpeech } from '../speech/live-speech.ts';
import type { Sentence, Speech, Spoken } from '../speech/speech.ts';
import { type Prediction, predict } from '../speech/speech-timing.ts';
import { withTimeout } from '../timeout.ts';

/** How a sentence is presented: as server audio, page speech or captions, or as speech that is still arriving. */
export type PreparedSpeech =
  | { speech: 'server'; spoken: Spoken }
  | { speech: 'client' | 'captions'; spoken: Prediction }
  | { speech: 'live'; live: LiveSpeech };

/** Timeout of one synthesis. */
const timeout = {
  clock: systemClock,
  ms: 20_000,
  error: () => new EngineError(0, 'the speech engine did not answer in time'),
};

/** Selects the speech output: the engine, else the page's speech synthesis, else captions. */
export class SpeechOutput {
  readonly #engine: Speech | undefined;
  readonly #pageLanguages: Set<string>;
  readonly sampleRate: number;

  /** `pageLocales`: locales for which the page reported speech synthesis voices. */
  constructor(
    engine: Speech | undefined,
    pageLocales: readonly string[],
    sampleRate = engine?.sampleRate ?? 16_000,
  ) {
    this.#engine = engine;
    this.sampleRate = sampleRate;
    this.#pageLanguages = new Set(pageLocales.flatMap((locale) => languageOf(locale) ?? []));
  }

  kindFor(locale: string): 'server' | 'client' | 'captions' {
    return this.#engine?.speaks(locale) ? 'server' : this.#withoutEngine(locale);
  }

  nameFor(locale: string): string {
    const kind = this.kindFor(locale);
    return kind === 'server'
      ? this.#engine!.nameFor(locale)
      : kind === 'client'
        ? 'speechSynthesis'
        : 'captions';
  }

  /** Never rejects because of the engine: calls `failed` and falls back to the page or captions. */
  async prepare(
    sentence: Omit<Sentence, 'session'>,
    signal: AbortSignal,
    failed: (error: Error) => void,
  ): Promise<PreparedSpeech> {
    const { locale, text, voice } = sentence;
    const engine = this.#engine;
    if (engine?.speaks(locale)) {
      try {
        const spoken = await withTimeout({ ...timeout, signal }, (signal) =>
          // One `SpeechOutput` exists per session, so it serves as the session's identity.
          engine.speak({ ...sentence, session: this }, signal),
        );
        return { speech: 'server', spoken };
      } catch (error) {
        if (!signal.aborted) failed(error as Error);
      }
    }
    return { speech: this.#withoutEngine(locale), spoken: predict(text, voice.pace) };
  }

  #withoutEngine(locale: string): 'client' | 'captions' {
    const language = languageOf(locale);
    return language !== undefined && this.#pageLanguages.has(language) ? 'client' : 'captions';
  }
}

/** Returns `undefined` for invalid locales: pages report voice names that are not BCP 47 tags. */
function languageOf(locale: string): string | undefined {
  try {
    return new Intl.Locale(locale.replaceAll('_', '-')).language;
  } catch {
    return undefined;
  }
}
