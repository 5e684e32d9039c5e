/** Resamples a stream with linear interpolation, which is sufficient for speech. */
export class Resampler {
  readonly from: number;
  readonly #step: number;
  /** The last sample of the previous chunk. */
  #last = 0;
  /** Position of the next output sample, relative to the first sample of the next chunk; at least -1. */
  #position = 0;

  constructor(from: number, to: number) {
    this.from = from;
    this.#step = from / to;
  }

  push(samples: Int16Array): Int16Array {
    if (this.#step === 1) return samples;
    const end = samples.length - 1;
    const count = Math.max(0, Math.floor((end - this.#position) / this.#step) + 1);
    const at = (index: number) => (index < 0 ? this.#last : samples[Math.min(index, end)]!);
    const resampled = Int16Array.from({ length: count }, (_, i) => {
      const position = this.#position + i * this.#step;
      const before = Math.floor(position);
      return Math.round(at(before) + (at(before + 1) - at(before)) * (position - before));
    });
    this.#position += count * this.#step - samples.length;
    this.#last = samples.at(-1) ?? this.#last;
    return resampled;
  }
}
