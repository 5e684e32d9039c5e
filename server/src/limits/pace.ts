import { setTimeout as sleep } from 'node:timers/promises';
import { EvenRate } from './even-rate.ts';

/** A client network is refused up to 200 times without delay, then once every 10 ms. */
const burst = 200;
const everyMs = 10;
/** Maximum delay of a refusal. Refusals that would wait longer are sent immediately. */
const maxWaitMs = 5_000;

/**
 * Delays refusals (unknown keys, experiences, origins) per client network. A refusal is cheap, but hundreds of connections that retry
 * as soon as they are refused would occupy the event loop. Requests that name an existing key or experience are not delayed.
 */
export class Pace {
  readonly #rate = new EvenRate(burst, everyMs);
  #delayed = 0;

  /** Number of refusals that were delayed. */
  get delayed(): number {
    return this.#delayed;
  }

  /** Resolves when the next refusal of this network may be sent; `undefined` if that is now. */
  delay(network: string): Promise<void> | undefined {
    const wait = this.#rate.charge(network, maxWaitMs);
    if (wait === 0 || wait > maxWaitMs) return undefined;
    this.#delayed++;
    return sleep(wait);
  }
}
