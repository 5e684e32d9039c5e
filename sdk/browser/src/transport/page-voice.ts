import { languageOf } from '../core/locale.ts';

/** Timeout of a spoken line: its predicted duration times `timeoutFactor`, plus `timeoutExtraMs`. Some engines never fire `end`. */
const timeoutFactor = 2;
const timeoutExtraMs = 2000;

const synthesis = () => globalThis.speechSynthesis as SpeechSynthesis | undefined;

interface Speaking {
  owner: PageVoice;
  /** Gives the line to the browser. */
  begin(): void;
  utterance: number;
  startedAt: number | undefined;
  /** Correction of the clock in milliseconds: predicted minus actual time of the last word boundary. */
  shiftMs: number;
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * The lines of all players of the page, the first of which the browser speaks. The browser's own queue is not used: to cancel one line,
 * it would have to be emptied.
 */
let lines: Speaking[] = [];

function add(line: Speaking): void {
  lines.push(line);
  if (lines.length === 1) line.begin();
}

/** Removes lines. If the browser speaks one of them, the next line begins; `isCut`: the browser still has to stop. */
function remove(isOut: (line: Speaking) => boolean, isCut: boolean): void {
  const [first] = lines;
  lines = lines.filter((line) => !isOut(line));
  if (first === lines[0]) return;
  if (isCut) synthesis()?.cancel();
  lines[0]?.begin();
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

/**
 * Call it in a click handler: iOS ignores `speak()` outside of one until it was called in one. Without any click before, Chromium would
 * log a warning.
 */
export function unlock(): void {
  const speech = synthesis();
  const { userActivation } = globalThis.navigator ?? {};
  if (!speech || speech.speaking || speech.pending || userActivation?.hasBeenActive === false) return;
  speech.speak(new SpeechSynthesisUtterance(''));
  // Some engines never end an empty text.
  speech.cancel();
}

/**
 * Speaks with a voice of the browser, and provides its playback position for lip sync. Players take turns: the browser speaks one line at a
 * time.
 */
export class PageVoice {
  #volume = 1;
  readonly #progress: (utterance: number, ms: number, done: boolean) => void;
  readonly #audible: (isAudible: boolean) => void;
  #isAudible = true;
  #speaking: Speaking | undefined;

  /** `audible` is called with false when a line fails or times out before it has started, and with true when one starts after that. */
  constructor(
    progress: (utterance: number, ms: number, done: boolean) => void,
    audible: (isAudible: boolean) => void,
  ) {
    this.#progress = progress;
    this.#audible = audible;
  }

  /** Volume of the next line; that of a line being spoken cannot change. Zero cancels the line and reports it as done. */
  set volume(volume: number) {
    this.#volume = volume;
    const speaking = this.#speaking;
    if (volume > 0 || !speaking) return;
    this.#done(speaking, true);
  }

  speak({ utterance, locale, text, durationMs, words }: Line): void {
    const speech = synthesis()!;
    const line = new SpeechSynthesisUtterance(text);
    line.lang = locale;
    line.volume = this.#volume;
    line.voice = voiceFor(speech.getVoices(), locale);
    const begin = () => {
      speaking.timer = setTimeout(
        () => {
          if (speaking === this.#speaking && speaking.startedAt === undefined) this.#report(false);
          this.#done(speaking);
        },
        durationMs * timeoutFactor + timeoutExtraMs,
      );
      speech.speak(line);
    };
    const speaking: Speaking = { owner: this, begin, utterance, startedAt: undefined, shiftMs: 0 };
    this.#speaking = speaking;
    line.onstart = () => {
      speaking.startedAt = performance.now();
      if (speaking !== this.#speaking) return;
      this.#report(true);
      this.#progress(utterance, 0, false);
    };
    line.onboundary = ({ charIndex }) => {
      const word = words.find(([, start, end]) => charIndex >= start && charIndex < end);
      if (!word || speaking.startedAt === undefined) return;
      speaking.shiftMs = word[0] - (performance.now() - speaking.startedAt);
      if (speaking === this.#speaking) this.#progress(utterance, word[0], false);
    };
    line.onend = () => this.#done(speaking);
    line.onerror = () => {
      if (speaking.startedAt !== undefined || speaking !== this.#speaking) return this.#done(speaking);
      this.#report(false);
      // The line is only shown: for as long as speech would take.
      clearTimeout(speaking.timer);
      speaking.timer = setTimeout(() => this.#done(speaking), durationMs);
    };
    add(speaking);
  }

  clock(utterance: number): number {
    if (this.#speaking?.utterance !== utterance) return Number.NaN;
    const { startedAt, shiftMs } = this.#speaking;
    return startedAt === undefined ? -1 : performance.now() - startedAt + shiftMs;
  }

  drop(): void {
    clearTimeout(this.#speaking?.timer);
    this.#speaking = undefined;
    remove(({ owner }) => owner === this, true);
  }

  #report(isAudible: boolean): void {
    if (isAudible === this.#isAudible) return;
    this.#isAudible = isAudible;
    this.#audible(isAudible);
  }

  #done(speaking: Speaking, isCut = false): void {
    clearTimeout(speaking.timer);
    remove((line) => line === speaking, isCut);
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
