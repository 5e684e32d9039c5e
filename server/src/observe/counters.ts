/** Counter by name. Counting is a look-up in a map; whoever shows the counts does the rest. */
export class Counter<Name> {
  readonly #counts = new Map<Name, number>();

  add(name: Name): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  entries(): Iterable<[Name, number]> {
    return this.#counts;
  }
}

/** How values are spread over buckets, each named by the greatest value that it holds. */
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

  /** For each bound, then for no bound at all, how many values did not exceed it. */
  cumulated(): number[] {
    let total = 0;
    return this.#counts.map((count) => {
      total += count;
      return total;
    });
  }
}
