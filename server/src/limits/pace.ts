import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** So often one network may be refused: two hundred times at once, then every ten milliseconds. */
const burst = 200;
const everyMs = 10;
/** As many refusals of one network wait as can leave in this time; others are not delayed. */
const longestWaitMs = 5_000;

/**
 * The pace at which strangers learn that they are strangers. A refusal costs a fraction of a mint, but hundreds of
 * connections that ask again as soon as they are refused leave little of the event loop to anybody else. So the refusals of
 * one network leave at a measured pace. Whoever names what exists waits for nobody.
 */
export class Pace {
  /** When the latest refusal of each network was due. */
  readonly #due = new LRUCache<string, number>({ max: 10_000 });
  #delayed = 0;

  /** How many refusals had to wait. */
  get delayed(): number {
    return this.#delayed;
  }

  /** Resolves when a network's next refusal may leave. Nothing when that is now. */
  turn(network: string): Promise<void> | undefined {
    const now = performance.now();
    const due = Math.max(this.#due.get(network) ?? Number.NEGATIVE_INFINITY, now - burst * everyMs) + everyMs;
    if (due - now > longestWaitMs) return undefined;
    this.#due.set(network, due);
    if (due <= now) return undefined;
    this.#delayed++;
    return sleep(due - now);
  }
}
