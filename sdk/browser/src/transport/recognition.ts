import { randomId } from '../core/environment.ts';

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
}

const view = () =>
  globalThis as { SpeechRecognition?: new () => Recogniser; webkitSpeechRecognition?: new () => Recogniser };

export function canRecognise(): boolean {
  const { SpeechRecognition, webkitSpeechRecognition } = view();
  return (SpeechRecognition ?? webkitSpeechRecognition) !== undefined;
}

/** Understands speech in the page, for runtimes that leave it to the browser. */
export class Recognition {
  readonly #locale: string;
  readonly #said: (transcript: Transcript) => void;
  #recogniser: Recogniser | undefined;
  #id = randomId();
  #isWanted = false;
  #failures = 0;

  constructor(locale: string, said: (transcript: Transcript) => void) {
    this.#locale = locale;
    this.#said = said;
  }

  start(): void {
    this.#isWanted = true;
    if (this.#recogniser) return;
    const { SpeechRecognition, webkitSpeechRecognition } = view();
    const recogniser = new (SpeechRecognition ?? webkitSpeechRecognition)!();
    recogniser.lang = this.#locale;
    recogniser.continuous = true;
    recogniser.interimResults = true;
    recogniser.addEventListener('result', (event) => this.#heard(event as Results));
    recogniser.addEventListener('error', () => this.#failures++);
    recogniser.addEventListener('end', () => {
      if (this.#recogniser !== recogniser) return;
      this.#recogniser = undefined;
      // It ends by itself after a silence. One that cannot work at all is not started for ever.
      if (this.#isWanted && this.#failures < 5) setTimeout(() => this.#isWanted && this.start(), 250);
    });
    this.#recogniser = recogniser;
    try {
      recogniser.start();
    } catch {
      this.#recogniser = undefined;
    }
  }

  stop(): void {
    this.#isWanted = false;
    this.#recogniser?.abort();
    this.#recogniser = undefined;
  }

  #heard({ results, resultIndex }: Results): void {
    this.#failures = 0;
    for (let i = resultIndex; i < results.length; i++) {
      const { isFinal } = results[i]!;
      const text = results[i]![0]!.transcript.trim();
      if (text === '') continue;
      this.#said({ id: this.#id, text, status: isFinal ? 'final' : 'interim' });
      if (isFinal) this.#id = randomId();
    }
  }
}
