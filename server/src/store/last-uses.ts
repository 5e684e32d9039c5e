/** Times of last use by id, collected until they are stored. */
export class LastUses {
  readonly #times = new Map<string, Date>();
  readonly #store: (times: ReadonlyMap<string, Date>) => Promise<unknown>;

  constructor(store: (times: ReadonlyMap<string, Date>) => Promise<unknown>) {
    this.#store = store;
  }

  /** The time that waits to be stored. */
  get(id: string): Date | undefined {
    return this.#times.get(id);
  }

  note(id: string, at: Date): void {
    this.#times.set(id, at);
  }

  async flush(): Promise<void> {
    if (this.#times.size === 0) return;
    const times = new Map(this.#times);
    await this.#store(times);
    // Only now, so that a flush at the same time does not return before these times are stored.
    for (const [id, at] of times) if (this.#times.get(id) === at) this.#times.delete(id);
  }
}
