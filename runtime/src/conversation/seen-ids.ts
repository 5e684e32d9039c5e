const remembered = 256;

/** Sent again after a broken connection, a message counts once. */
export class SeenIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** True the first time. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > remembered) this.#ids.delete(this.#ids.values().next().value!);
    return true;
  }
}
