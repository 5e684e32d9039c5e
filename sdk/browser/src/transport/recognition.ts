import { randomId } from '../core/environment.ts';
import { reconnectDelay } from './reconnect.ts';

/** The part of SpeechRecognition that we use; TypeScript knows none. */
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

/** Says nothing of whether it works: a silence, or our own doing. */
const harmless = ['no-speech', 'aborted'];
const mostFailures = 5;

/** Understands speech in the page, for runtimes that leave it to the browser. */
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

  /** The next words will be in this language. One that listens already ends, and begins anew. */
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
    // One that was stopped may still have something to say.
    const on = (type: string, work: (event: Event) => void) =>
      recogniser.addEventListener(type, (event) => this.#recogniser === recogniser && work(event));
    on('result', (event) => this.#heard(event as Results, recogniser.lang));
    on('error', (event) => {
      if (!harmless.includes((event as Event & { error: string }).error)) this.#failures++;
    });
    on('end', () => this.#ended());
    this.#recogniser = recogniser;
    try {
      recogniser.start();
    } catch {
      this.#failures++;
      this.#ended();
    }
  }

  stop(): void {
    this.#isWanted = false;
    this.#recogniser?.abort();
    this.#recogniser = undefined;
  }

  /** It ends by itself after a silence. One that cannot work at all is not started for ever. */
  #ended(): void {
    this.#recogniser = undefined;
    if (this.#failures >= mostFailures) this.#gaveUp();
    else setTimeout(() => this.#isWanted && this.start(), reconnectDelay(this.#failures + 1));
  }

  #heard({ results, resultIndex }: Results, locale: string): void {
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
