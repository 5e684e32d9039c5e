import { languageOf } from '../core/locale.ts';

/** Timeout of a spoken line: its predicted duration times `timeoutFactor`, plus `timeoutExtraMs`. Some engines never fire `end`. */
const timeoutFactor = 2;
const timeoutExtraMs = 2000;

const synthesis = () => globalThis.speechSynthesis as SpeechSynthesis | undefined;

interface Speaking {
  utterance: number;
  startedAt: number | undefined;
  /** Correction of the clock in milliseconds: predicted minus actual time of the last word boundary. */
  shiftMs: number;
  timer: ReturnType<typeof setTimeout>;
}

export interface Line {
  utterance: number;
  locale: string;
  text: string;
  durationMs: number;
  words: readonly (readonly [ms: number, start: number, end: number])[];
}

/** Language tags of the browser's voices whose language is one of `locales`. */
export function spokenHere(locales: readonly string[]): string[] {
  const wanted = new Set(locales.map(languageOf));
  const voices = synthesis()?.getVoices() ?? [];
  return [...new Set(voices.map(({ lang }) => lang.replace('_', '-')))].filter((tag) =>
    wanted.has(languageOf(tag)),
  );
}

/** Waits up to `ms` milliseconds for the browser's voices: Chromium loads them after the first call of `getVoices`. */
export function voicesLoaded(ms: number): Promise<void> {
  const speech = synthesis();
  if (!speech || speech.getVoices().length > 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      speech.removeEventListener('voiceschanged', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    speech.addEventListener('voiceschanged', done);
  });
}

/** Speaks with a voice of the browser, one line at a time, and provides its playback position for lip sync. */
export class PageVoice {
  #volume = 1;
  readonly #progress: (utterance: number, ms: number, done: boolean) => void;
  #speaking: Speaking | undefined;

  constructor(progress: (utterance: number, ms: number, done: boolean) => void) {
    this.#progress = progress;
  }

  /** Volume of the next line; that of a line being spoken cannot change. Zero cancels the line and reports it as done. */
  set volume(volume: number) {
    this.#volume = volume;
    const speaking = this.#speaking;
    if (volume > 0 || !speaking) return;
    this.#done(speaking);
    synthesis()?.cancel();
  }

  speak({ utterance, locale, text, durationMs, words }: Line): void {
    const speech = synthesis()!;
    const line = new SpeechSynthesisUtterance(text);
    line.lang = locale;
    line.volume = this.#volume;
    line.voice = voiceFor(speech.getVoices(), locale);
    const timer = setTimeout(() => this.#done(speaking), durationMs * timeoutFactor + timeoutExtraMs);
    const speaking: Speaking = { utterance, startedAt: undefined, shiftMs: 0, timer };
    this.#speaking = speaking;
    line.onstart = () => {
      speaking.startedAt = performance.now();
      if (speaking === this.#speaking) this.#progress(utterance, 0, false);
    };
    line.onboundary = ({ charIndex }) => {
      const word = words.find(([, start, end]) => charIndex >= start && charIndex < end);
      if (!word || speaking.startedAt === undefined) return;
      speaking.shiftMs = word[0] - (performance.now() - speaking.startedAt);
      if (speaking === this.#speaking) this.#progress(utterance, word[0], false);
    };
    line.onend = line.onerror = () => this.#done(speaking);
    speech.speak(line);
  }

  clock(utterance: number): number {
    if (this.#speaking?.utterance !== utterance) return Number.NaN;
    const { startedAt, shiftMs } = this.#speaking;
    return startedAt === undefined ? -1 : performance.now() - startedAt + shiftMs;
  }

  drop(): void {
    if (!this.#speaking) return;
    clearTimeout(this.#speaking.timer);
    this.#speaking = undefined;
    synthesis()?.cancel();
  }

  #done(speaking: Speaking): void {
    clearTimeout(speaking.timer);
    if (speaking !== this.#speaking) return;
    const ms = Math.max(0, this.clock(speaking.utterance));
    this.#speaking = undefined;
    this.#progress(speaking.utterance, ms, true);
  }
}

function voiceFor(voices: readonly SpeechSynthesisVoice[], locale: string): SpeechSynthesisVoice | null {
  const same = voices.filter(({ lang }) => lang.replace('_', '-') === locale);
  const near = voices.filter(({ lang }) => languageOf(lang) === languageOf(locale));
  return same.find(({ localService }) => localService) ?? same[0] ?? near[0] ?? null;
}
