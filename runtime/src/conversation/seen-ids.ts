const remembered = 256;

/** Deduplicates messages that a client resends after a lost connection. */
export class SeenIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Returns `true` the first time an id is added. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > remembered) this.#ids.delete(this.#ids.values().next().value!);
    return true;
  }
}
