/** Counters by name. Counting is one map look-up; formatting happens when metrics are read. */
export class Counter<Name> {
  readonly #counts = new Map<Name, number>();

  add(name: Name): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  entries(): Iterable<[Name, number]> {
    return this.#counts;
  }
}

/** A histogram with buckets by upper bound. */
export class Histogram {
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  add(value: number): void {
    let bucket = 0;
    while (bucket < this.bounds.length && value > this.bounds[bucket]!) bucket++;
    this.#counts[bucket]!++;
    this.#sum += value;
  }

  get sum(): number {
    return this.#sum;
  }

  /** Cumulative counts per bound, ending with `+Inf`. */
  cumulated(): number[] {
    let total = 0;
    return this.#counts.map((count) => {
      total += count;
      return total;
    });
  }
}
