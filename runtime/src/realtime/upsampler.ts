import { audioFrame } from '@session-launch/contract/runtime/protocol';

/** Resamples a stream of the user's audio to a higher rate, with linear interpolation across the borders of its chunks. */
export class Upsampler {
  readonly #step: number;
  /** Position of the next output sample, in input samples after `#last`. */
  #at = 1;
  #last = 0;

  constructor(rate: number) {
    this.#step = audioFrame.inputSampleRate / rate;
  }

  push(samples: Int16Array): Int16Array {
    const result = new Int16Array(Math.max(0, Math.ceil((samples.length - this.#at) / this.#step) + 1));
    let count = 0;
    for (; this.#at <= samples.length; this.#at += this.#step) {
      const left = Math.floor(this.#at);
      const a = left === 0 ? this.#last : samples[left - 1]!;
      const b = samples[left] ?? a;
      if (this.#at > left && left === samples.length) break;
      result[count++] = Math.round(a + (b - a) * (this.#at - left));
    }
    this.#at -= samples.length;
    this.#last = samples.at(-1) ?? this.#last;
    return result.subarray(0, count);
  }
}
