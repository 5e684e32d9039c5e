import { randomId } from '../core/environment.ts';
import { reconnectDelay } from '../core/reconnect.ts';

/** The members of SpeechRecognition that the SDK uses; TypeScript's DOM library does not declare it. */
interface Recogniser extends EventTarget {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  start(): void;
  stop(): void;
  abort(): void;
}

type Results = Event & {
  resultIndex: number;
  results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }>;
};

export interface Transcript {
  id: string;
  text: string;
  status: 'interim' | 'final';
  locale: string;
}

const view = () =>
  globalThis as { SpeechRecognition?: new () => Recogniser; webkitSpeechRecognition?: new () => Recogniser };

export function canRecognise(): boolean {
  const { SpeechRecognition, webkitSpeechRecognition } = view();
  return (SpeechRecognition ?? webkitSpeechRecognition) !== undefined;
}

const page = () => (globalThis as { document?: Document }).document;

const maxFailures = 5;
/** Milliseconds to wait for the last result after `stop()`. Some engines never fire `end`. */
const lastResultMs = 3000;

/** Speech recognition by the browser, for runtimes that have none. */
export class Recognition {
  #locale: string;
  readonly #said: (transcript: Transcript) => void;
  readonly #gaveUp: () => void;
  #recogniser: Recogniser | undefined;
  #id = randomId();
  #isWanted = false;
  #failures = 0;

  constructor(locale: string, said: (transcript: Transcript) => void, gaveUp: () => void) {
    this.#locale = locale;
    this.#said = said;
    this.#gaveUp = gaveUp;
  }

  /** Sets the language of recognition. A running recogniser is aborted and restarts with the new language. */
  set locale(locale: string) {
    if (locale === this.#locale) return;
    this.#locale = locale;
    if (this.#recogniser) this.#abort();
  }

  /**
   * Starts recognition; on a hidden page, as soon as it is visible. Browsers run one recogniser at a time, so a hidden page would abort
   * that of the visible one.
   */
  start(): void {
    this.#isWanted = true;
    if (this.#recogniser) return;
    if (page()?.hidden) {
      page()!.addEventListener('visibilitychange', this.#restart, { once: true });
      return;
    }
    const { SpeechRecognition, webkitSpeechRecognition } = view();
    const recogniser = new (SpeechRecognition ?? webkitSpeechRecognition)!();
    recogniser.lang = this.#locale;
    recogniser.continuous = true;
    recogniser.interimResults = true;
    // Ignores events of a recogniser that was aborted or replaced.
    const on = (type: string, work: (event: Event) => void) =>
      recogniser.addEventListener(type, (event) => this.#recogniser === recogniser && work(event));
    on('result', (event) => this.#onResult(event as Results, recogniser.lang));
    on('error', (event) => {
      const { error } = event as Event & { error: string };
      // Not failures: silence, and the recogniser of a hidden page, which the browser or another page aborts.
      if (error !== 'no-speech' && !(error === 'aborted' && page()?.hidden)) this.#failures++;
    });
    on('end', () => this.#onEnd());
    this.#recogniser = recogniser;
    try {
      recogniser.start();
    } catch {
      this.#failures++;
      this.#onEnd();
    }
  }

  /** Stops listening. Words that were already spoken are still reported. */
  finish(): void {
    this.#isWanted = false;
    const recogniser = this.#recogniser;
    if (!recogniser) return;
    recogniser.stop();
    setTimeout(() => this.#recogniser === recogniser && this.#abort(), lastResultMs);
  }

  /** Stops listening immediately and discards the words that have no final result. */
  stop(): void {
    this.#isWanted = false;
    page()?.removeEventListener('visibilitychange', this.#restart);
    if (this.#recogniser) this.#abort();
  }

  readonly #restart = (): void => {
    if (this.#isWanted) this.start();
  };

  #abort(): void {
    const recogniser = this.#recogniser;
    this.#onEnd();
    recogniser?.abort();
  }

  /** Browsers end recognition after a silence: restarts it, but gives up after 5 failures without a result. */
  #onEnd(): void {
    this.#recogniser = undefined;
    this.#id = randomId();
    if (this.#failures >= maxFailures) this.#gaveUp();
    else setTimeout(this.#restart, reconnectDelay(this.#failures + 1));
  }

  /** Reports the new final results one by one, then the text of all interim results. Their concatenation is the whole text. */
  #onResult({ results, resultIndex }: Results, locale: string): void {
    this.#failures = 0;
    let interim = '';
    for (let i = 0; i < results.length; i++) {
      const { transcript } = results[i]![0]!;
      if (!results[i]!.isFinal) interim += transcript;
      else if (i >= resultIndex) this.#say(transcript, 'final', locale);
    }
    this.#say(interim, 'interim', locale);
  }

  #say(transcript: string, status: Transcript['status'], locale: string): void {
    const text = transcript.trim();
    if (text === '') return;
    this.#said({ id: this.#id, text, status, locale });
    if (status === 'final') this.#id = randomId();
  }
}
