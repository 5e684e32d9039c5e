import { joined } from './pcm.ts';

const lobes = 8;

/**
 * Converts the sample rate of a stream chunk by chunk, with a windowed-sinc filter: continuous across chunks and without aliasing. The
 * delay is 8 samples of the lower rate (0.5 ms at 16 kHz); `end` flushes it.
 */
export class Resampler {
  readonly #step: number;
  readonly #cutoff: number;
  readonly #reach: number;
  #history: Float32Array;
  /** Position of the next output sample, in input samples from the start of `#history`. */
  #position: number;

  constructor(from: number, to: number) {
    this.#step = from / to;
    this.#cutoff = Math.min(1, to / from);
    this.#reach = Math.ceil(lobes / this.#cutoff);
    this.#history = new Float32Array(this.#reach);
    this.#position = this.#reach;
  }

  push(samples: Float32Array): Float32Array {
    const all = joined(this.#history, samples);
    const count = Math.max(0, Math.floor((all.length - 1 - this.#reach - this.#position) / this.#step) + 1);
    const out = new Float32Array(count);
    for (let i = 0; i < count; i++) out[i] = this.#at(all, this.#position + i * this.#step);
    this.#position += count * this.#step;
    const keepFrom = Math.max(0, Math.floor(this.#position) - this.#reach);
    this.#history = all.slice(keepFrom);
    this.#position -= keepFrom;
    return out;
  }

  end(): Float32Array {
    return this.push(new Float32Array(this.#reach));
  }

  #at(samples: Float32Array, position: number): number {
    const middle = Math.floor(position);
    let sum = 0;
    for (let i = middle - this.#reach + 1; i <= middle + this.#reach; i++) {
      const distance = position - i;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / this.#reach);
      sum += (samples[i] ?? 0) * window * sinc(distance * this.#cutoff) * this.#cutoff;
    }
    return sum;
  }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}
