const finest = 0.05;
const step = 1.04;
const size = 400;

/** A histogram of latencies in milliseconds with buckets 4 % apart: its size does not depend on the number of values. */
export class Latencies {
  readonly #counts = new Uint32Array(size);
  count = 0;

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(ms / finest) / Math.log(step));
    this.#counts[Math.min(Math.max(bucket, 0), size - 1)]!++;
    this.count++;
  }

  merge(other: Latencies): this {
    for (const [bucket, count] of other.#counts.entries()) this.#counts[bucket]! += count;
    this.count += other.count;
    return this;
  }

  /** Returns the latency that the given share of the values does not exceed. */
  percentile(part: number): number {
    const rank = Math.ceil(this.count * part);
    let seen = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= rank && count > 0) return finest * step ** bucket;
    }
    return Number.NaN;
  }
}
