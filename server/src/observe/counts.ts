/** Counts by name. With labelled metrics of prom-client, counting a mint and its duration would take 20 times as long. */
export class Counts<Name> {
  readonly #counts = new Map<Name, number>();

  add(name: Name): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  entries(): Iterable<[Name, number]> {
    return this.#counts;
  }
}

/** The distribution of values over buckets, each identified by its upper bound (inclusive). */
export class Distribution {
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

  /** For each bound, and last for infinity, the number of values up to it. */
  cumulative(): number[] {
    let total = 0;
    return this.#counts.map((count) => {
      total += count;
      return total;
    });
  }
}
