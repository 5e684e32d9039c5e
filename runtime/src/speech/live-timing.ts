import type { Cue, CueSource, Viseme, WordTime } from '@session-launch/contract/runtime/protocol';
import { isVowel, type PredictedSound, soundsOf, unitMs, wordOffsets } from './speech-timing.ts';

/** Maximum absolute value of a sample that counts as silence, of 32,767. */
const quiet = 300;
/** Average amplitudes above which the mouth opens wide or half when only the level is known. */
const loud = 5000;
const medium = 1800;
/** Length of the steps in which the audio is examined, in milliseconds. */
const stepMs = 20;
/** Silence up to this many milliseconds belongs to a sound, such as the closure of a plosive. */
const closureMs = 60;
/** Milliseconds for which a mouth shape that follows the level is kept. */
const levelMs = 80;
/** Number of predicted sounds among which a pause of the text is searched when the audio pauses. */
const searched = 14;
/** Bounds of the learned length of a short sound, in milliseconds. */
const fastest = 35;
const slowest = 160;

/**
 * Predicts mouth shapes and word times of audio that arrives together with its transcript. Neither carries timings, so the sounds of the
 * text are laid over the parts of the audio that are not silent. Where the transcript is late, the mouth follows the level.
 */
export class LiveTiming {
  readonly #step: number;
  #text = '';
  /** Offset in the text up to which sounds were predicted. */
  #read = 0;
  #sounds: PredictedSound[] = [];
  #words: [start: number, end: number][] = [];
  #unit = unitMs;
  #ms = 0;
  #soundEndsMs = 0;
  #viseme: Viseme = 'sil';
  #silentMs = 0;
  /** Milliseconds of speech that were animated by level; their sounds are skipped when the text arrives. */
  #owedMs = 0;
  #levelUntilMs = 0;

  constructor(sampleRate: number) {
    this.#step = (sampleRate * stepMs) / 1000;
  }

  /** Appends text of the transcript. The last word is read when it is complete. */
  addText(text: string): void {
    this.#text += text;
    const end = this.#text.search(/\S*$/u);
    if (end > this.#read) this.#readTo(end);
  }

  /** The transcript and the audio are complete: spreads the remaining sounds over `rest`, the audio that was not timed yet. */
  complete(rest: readonly Int16Array[]): void {
    this.#readTo(this.#text.length);
    const units = this.#sounds.reduce((sum, { viseme, weight }) => sum + (viseme === 'sil' ? 0 : weight), 0);
    let steps = 0;
    for (const samples of rest)
      for (let at = 0; at < samples.length; at += this.#step) if (this.#isLoud(samples, at)) steps++;
    if (units > 0 && steps > 0)
      this.#unit = Math.min(slowest, Math.max(fastest, (steps * stepMs + this.#owedMs) / units));
  }

  /** Returns the timings of the next samples. The last ones get all remaining words. */
  next(samples: Int16Array, isLast: boolean): { source: CueSource; cues: Cue[]; words: WordTime[] } {
    const cues: Cue[] = [];
    const words: WordTime[] = [];
    let isFromText = false;
    let last: Viseme | undefined;
    for (let at = 0; at < samples.length; at += this.#step) {
      const isLoud = this.#isLoud(samples, at);
      this.#silentMs = isLoud ? 0 : this.#silentMs + stepMs;
      if (!isLoud && this.#silentMs > closureMs) this.#pause();
      else if (this.#speak(words)) isFromText = true;
      else this.#followLevel(samples, at);
      if (this.#viseme !== last) cues.push([Math.round(this.#ms), this.#viseme]);
      last = this.#viseme;
      this.#ms += (Math.min(this.#step, samples.length - at) / this.#step) * stepMs;
    }
    if (isLast)
      for (const [start, end] of this.#words.splice(0)) words.push([Math.round(this.#ms), start, end]);
    return { source: isFromText || this.#text !== '' ? 'text' : 'level', cues, words };
  }

  #readTo(end: number): void {
    const part = this.#text.slice(this.#read, end);
    for (const sound of soundsOf(part)) this.#sounds.push({ ...sound, at: sound.at + this.#read });
    for (const [start, stop] of wordOffsets(part)) this.#words.push([start + this.#read, stop + this.#read]);
    this.#read = end;
  }

  /** Advances to the sound at the current time. Returns `false` if the text is not known yet. */
  #speak(words: WordTime[]): boolean {
    while (this.#ms >= this.#soundEndsMs || this.#owedMs > 0) {
      const sound = this.#sounds.shift();
      if (sound === undefined) return false;
      if (sound.viseme === 'sil') continue;
      const ms = sound.weight * this.#unit;
      while (this.#words.length > 0 && this.#words[0]![0] <= sound.at)
        words.push([Math.round(this.#ms), ...this.#words.shift()!]);
      if (this.#owedMs > 0) {
        this.#owedMs = Math.max(0, this.#owedMs - ms);
        continue;
      }
      this.#soundEndsMs = Math.max(this.#soundEndsMs, this.#ms - stepMs) + ms;
      this.#viseme = sound.viseme;
    }
    return true;
  }

  /** Closes the mouth, and skips to the pause in the text if it is near. */
  #pause(): void {
    this.#viseme = 'sil';
    this.#soundEndsMs = this.#ms + stepMs;
    if (this.#silentMs > closureMs + stepMs) return;
    const pause = this.#sounds.slice(0, searched).findIndex(({ viseme }) => viseme === 'sil');
    if (pause >= 0) this.#owedMs += this.#weight(pause) * this.#unit;
  }

  /** Total weight of the next sounds. */
  #weight(count: number): number {
    return this.#sounds.slice(0, count).reduce((sum, { weight }) => sum + weight, 0);
  }

  #followLevel(samples: Int16Array, at: number): void {
    this.#owedMs += stepMs;
    if (this.#ms < this.#levelUntilMs && this.#viseme !== 'sil') return;
    this.#levelUntilMs = this.#ms + levelMs;
    const part = samples.subarray(at, at + this.#step);
    const average = part.reduce((sum, sample) => sum + Math.abs(sample), 0) / part.length;
    const wide: Viseme = average > loud ? 'aa' : average > medium ? 'E' : 'I';
    // Alternates with a narrower shape, so that the mouth moves while the level is constant.
    this.#viseme = isVowel(this.#viseme) && this.#viseme === wide ? 'DD' : wide;
  }

  #isLoud(samples: Int16Array, at: number): boolean {
    const end = Math.min(samples.length, at + this.#step);
    for (let i = at; i < end; i++) if (Math.abs(samples[i]!) > quiet) return true;
    return false;
  }
}
