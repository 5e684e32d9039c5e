import { LRUCache } from 'lru-cache';

/** Maximum number of networks whose rate is remembered. */
const maxNetworks = 10_000;

/** Limits events per client network: a burst at once, then one every `everyMs` milliseconds. */
export class EvenRate {
  readonly #burst: number;
  readonly #everyMs: number;
  /** When the latest event of each network was due at the even rate. */
  readonly #due = new LRUCache<string, number>({ max: maxNetworks });

  constructor(burst: number, everyMs: number) {
    this.#burst = burst;
    this.#everyMs = everyMs;
  }

  /**
   * Returns the milliseconds until the next event of this network is due, 0 if that is now. The event is charged to the network unless it
   * would have to wait longer than `maxWaitMs`.
   */
  charge(network: string, maxWaitMs: number): number {
    const now = performance.now();
    const earliest = now - this.#burst * this.#everyMs;
    const due = Math.max(this.#due.get(network) ?? earliest, earliest) + this.#everyMs;
    const wait = Math.max(due - now, 0);
    if (wait <= maxWaitMs) this.#due.set(network, due);
    return wait;
  }
}
