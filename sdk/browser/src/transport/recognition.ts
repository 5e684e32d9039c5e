import { randomId } from '../core/environment.ts';
import { reconnectDelay } from '../core/reconnect.ts';

/** The members of SpeechRecognition that the SDK uses; TypeScript's DOM library does not declare it. */
interface Recogniser extends EventTarget {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  start(): void;
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

/** Error codes that are not counted as failures: silence, and our own call of `abort`. */
const harmless = ['no-speech', 'aborted'];
const maxFailures = 5;

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
    this.#recogniser?.abort();
  }

  start(): void {
    this.#isWanted = true;
    if (this.#recogniser) return;
    const { SpeechRecognition, webkitSpeechRecognition } = view();
    const recogniser = new (SpeechRecognition ?? webkitSpeechRecognition)!();
    recogniser.lang = this.#locale;
    recogniser.continuous = true;
    recogniser.interimResults = true;
    // Ignores events of a recogniser that was stopped or replaced.
    const on = (type: string, work: (event: Event) => void) =>
      recogniser.addEventListener(type, (event) => this.#recogniser === recogniser && work(event));
    on('result', (event) => this.#onResult(event as Results, recogniser.lang));
    on('error', (event) => {
      if (!harmless.includes((event as Event & { error: string }).error)) this.#failures++;
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

  stop(): void {
    this.#isWanted = false;
    this.#recogniser?.abort();
    this.#recogniser = undefined;
  }

  /** Browsers end recognition after a silence: restarts it, but gives up after 5 failures without a result. */
  #onEnd(): void {
    this.#recogniser = undefined;
    if (this.#failures >= maxFailures) this.#gaveUp();
    else setTimeout(() => this.#isWanted && this.start(), reconnectDelay(this.#failures + 1));
  }

  #onResult({ results, resultIndex }: Results, locale: string): void {
    this.#failures = 0;
    for (let i = resultIndex; i < results.length; i++) {
      const { isFinal } = results[i]!;
      const text = results[i]![0]!.transcript.trim();
      if (text === '') continue;
      this.#said({ id: this.#id, text, status: isFinal ? 'final' : 'interim', locale });
      if (isFinal) this.#id = randomId();
    }
  }
}
