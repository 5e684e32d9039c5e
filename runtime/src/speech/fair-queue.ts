/** Round-robin queue over sessions; first in, first out within a session. */
export class FairQueue<Item> {
  /** Sessions with queued items, in the order in which they are served. */
  readonly #waiting = new Map<object, Item[]>();

  get length(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
  }

  push(session: object, item: Item): void {
    const items = this.#waiting.get(session);
    if (items === undefined) this.#waiting.set(session, [item]);
    else items.push(item);
  }

  /** Removes the first item of the next session. That session is served again after all others. */
  shift(): Item | undefined {
    for (const [session, items] of this.#waiting) {
      const item = items.shift();
      this.#waiting.delete(session);
      if (items.length > 0) this.#waiting.set(session, items);
      return item;
    }
    return undefined;
  }

  /** Removes an item that is no longer awaited. Does nothing if it was shifted already. */
  remove(session: object, item: Item): void {
    const items = this.#waiting.get(session);
    const at = items?.indexOf(item) ?? -1;
    if (at < 0) return;
    items!.splice(at, 1);
    if (items!.length === 0) this.#waiting.delete(session);
  }

  /** Removes and returns all items. */
  clear(): Item[] {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return all;
  }
}
