import { audioFrame } from '@session-launch/contract/runtime/protocol';
import { concatenated } from '../samples.ts';
import type { LiveSpeech, SpeechPart } from '../speech/live-speech.ts';
import { LiveTiming } from '../speech/live-timing.ts';

/** The sample rate of the protocol's PCM, for input and output. */
export const sampleRate = 24_000;
const samplesPerMs = sampleRate / 1000;
const frameSamples = audioFrame.milliseconds * samplesPerMs;

/** A message that a model is speaking: audio and transcript as they arrive. */
export class LiveItem implements LiveSpeech {
  readonly itemId: string;
  heardMs = 0;
  changed: () => void = () => {};
  readonly #timing = new LiveTiming(sampleRate);
  #text = '';
  #waiting: Int16Array[] = [];
  #waitingSamples = 0;
  #takenSamples = 0;
  #isComplete = false;
  /** The first byte of a sample whose second byte has not arrived. */
  #odd: Buffer = Buffer.alloc(0);

  constructor(itemId: string) {
    this.itemId = itemId;
  }

  get text(): string {
    return this.#text;
  }

  get takenMs(): number {
    return this.#takenSamples / samplesPerMs;
  }

  get isOver(): boolean {
    return this.#isComplete && this.#waitingSamples === 0;
  }

  /** Whether the listener has heard all of it. */
  get isHeard(): boolean {
    return this.isOver && this.heardMs >= this.takenMs;
  }

  addText(text: string): void {
    this.#text += text;
    this.#timing.addText(text);
    this.changed();
  }

  /** Adds PCM; returns its length in milliseconds. */
  addAudio(pcm: Buffer): number {
    const bytes = this.#odd.length === 0 ? pcm : Buffer.concat([this.#odd, pcm]);
    const whole = bytes.length - (bytes.length % 2);
    this.#odd = bytes.subarray(whole);
    // Copied, because a Buffer may start at an odd offset of its memory.
    const samples = new Int16Array(Uint8Array.from(bytes.subarray(0, whole)).buffer);
    this.#waiting.push(samples);
    this.#waitingSamples += samples.length;
    this.changed();
    return samples.length / samplesPerMs;
  }

  /** No more audio will arrive. */
  complete(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#timing.complete(this.#waiting);
    this.changed();
  }

  take(maxMs: number): SpeechPart | undefined {
    const most = Math.min(this.#waitingSamples, maxMs * samplesPerMs);
    const isRest = this.#isComplete && most === this.#waitingSamples;
    const count = isRest ? most : most - (most % frameSamples);
    if (count === 0) return undefined;
    const audio = this.#shift(count);
    this.#waitingSamples -= count;
    this.#takenSamples += count;
    return { audio, ...this.#timing.next(audio, isRest) };
  }

  #shift(count: number): Int16Array {
    const parts: Int16Array[] = [];
    for (let left = count; left > 0; ) {
      const [first] = this.#waiting as [Int16Array];
      parts.push(first.subarray(0, left));
      if (first.length > left) this.#waiting[0] = first.subarray(left);
      else this.#waiting.shift();
      left -= first.length;
    }
    return concatenated(parts);
  }
}
