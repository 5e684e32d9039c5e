/** A change of the order. It can be repeated on another order after a version conflict. */
export type Rearrangement = (ids: readonly string[]) => string[];

/** Puts an item directly before or after another one. Does nothing if one of them does not exist. */
export function place(id: string, side: 'before' | 'after', other: string): Rearrangement {
  return (ids) => {
    if (id === other || !ids.includes(id) || !ids.includes(other)) return [...ids];
    const rest = ids.filter((one) => one !== id);
    rest.splice(rest.indexOf(other) + (side === 'after' ? 1 : 0), 0, id);
    return rest;
  };
}

/**
 * Moves an item back next to one of its neighbours in an earlier order; the other items keep their present order. If the two neighbours
 * were separated since, takes, of the two positions, the one that changes the order of fewer items.
 */
export function moveBack(id: string, earlier: readonly string[]): Rearrangement {
  const from = earlier.indexOf(id);
  const [preceding, following] = [earlier.slice(0, from), earlier.slice(from + 1)];
  return (ids) => {
    const previous = preceding.findLast((one) => ids.includes(one));
    const next = following.find((one) => ids.includes(one));
    const afterPrevious = previous === undefined ? undefined : place(id, 'after', previous)(ids);
    const beforeNext = next === undefined ? undefined : place(id, 'before', next)(ids);
    /** The number of items that are on the other side of the moved item than before. */
    const swapped = (order: readonly string[]) => {
      const at = order.indexOf(id);
      return order.filter((one, n) => (n < at ? following : preceding).includes(one)).length;
    };
    if (afterPrevious === undefined || beforeNext === undefined)
      return afterPrevious ?? beforeNext ?? [...ids];
    return swapped(beforeNext) < swapped(afterPrevious) ? beforeNext : afterPrevious;
  };
}

/** An order that the service has, and the version of the project with it. */
export interface StoredOrder {
  ids: readonly string[];
  version: number;
}

export interface OrderStore {
  read(): Promise<StoredOrder>;
  /** Returns the new version, or `conflict` if the project has another version by now. */
  write(order: StoredOrder): Promise<number | { conflict: { by?: string } }>;
}

/** Conflicts in a row after which saving gives up. */
const maxConflicts = 3;

/** Saves rearrangements one after the other. While one is being saved, further ones are collected. */
export class OrderQueue {
  readonly #store: OrderStore;
  #waiting: Rearrangement[] = [];
  #saving: Promise<{ conflict?: { by?: string } }> | undefined;
  #stored: StoredOrder = { ids: [], version: 0 };

  constructor(store: OrderStore) {
    this.#store = store;
  }

  get isSaving(): boolean {
    return this.#saving !== undefined;
  }

  /** The version of the project with the order that was last read or saved. Lists of older versions show an older order. */
  get version(): number {
    return this.#stored.version;
  }

  /** Sets the order that the service has. Ignored while saving, because the answer may be older than what is being saved. */
  begin(stored: StoredOrder): void {
    if (!this.isSaving) this.#stored = stored;
  }

  /** Saves a rearrangement. Resolves when all waiting ones are saved; `conflict` names the operator who changed the project in between. */
  save(rearrangement: Rearrangement): Promise<{ conflict?: { by?: string } }> {
    this.#waiting.push(rearrangement);
    this.#saving ??= this.#saveAll().finally(() => {
      this.#waiting = [];
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveAll(): Promise<{ conflict?: { by?: string } }> {
    let conflict: { by?: string } | undefined;
    for (let conflicts = 0; this.#waiting.length > 0; ) {
      const taken = [...this.#waiting];
      const ids = taken.reduce((order, rearrange) => rearrange(order), this.#stored.ids);
      const written = await this.#store.write({ ids, version: this.#stored.version });
      if (typeof written === 'number') {
        this.#stored = { ids, version: written };
        this.#waiting.splice(0, taken.length);
        continue;
      }
      conflict = written.conflict;
      if (++conflicts > maxConflicts) throw new Error('the order changes too often');
      const before = this.#stored.ids.join();
      this.#stored = await this.#store.read();
      // Another setting of the project may have changed, which does not matter here.
      if (this.#stored.ids.join() === before) conflict = undefined;
    }
    return conflict === undefined ? {} : { conflict };
  }
}
