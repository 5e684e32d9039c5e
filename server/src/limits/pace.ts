import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** A client network is refused up to 200 times without delay, then once every 10 ms. */
const burst = 200;
const everyMs = 10;
/** Maximum delay of a refusal. Refusals that would wait longer are sent immediately. */
const longestWaitMs = 5_000;

/**
 * Delays refusals (unknown keys, experiences, origins) per client network. A refusal is cheap, but hundreds of connections that retry
 * as soon as they are refused would occupy the event loop. Requests that name an existing key or experience are not delayed.
 */
export class Pace {
  /** The time at which the latest refusal of each network is sent. */
  readonly #due = new LRUCache<string, number>({ max: 10_000 });
  #delayed = 0;

  /** Number of refusals that were delayed. */
  get delayed(): number {
    return this.#delayed;
  }

  /** Resolves when the next refusal of this network may be sent; `undefined` if that is now. */
  delay(network: string): Promise<void> | undefined {
    const now = performance.now();
    const due = Math.max(this.#due.get(network) ?? Number.NEGATIVE_INFINITY, now - burst * everyMs) + everyMs;
    if (due - now > longestWaitMs) return undefined;
    this.#due.set(network, due);
    if (due <= now) return undefined;
    this.#delayed++;
    return sleep(due - now);
  }
}
