import { EvenRate } from '../limits/even-rate.ts';

/** Minimum number of upgrades that one client network may send in ten seconds: a class behind one address can reconnect at once. */
const minPerTenSeconds = 120;

/**
 * Limits upgrades per client network: how many may arrive in ten seconds, and how many may wait for the runtime at a time. Without these
 * limits, one address could use up all sockets that may wait for a runtime.
 */
export class NetworkLimits {
  readonly #rate: EvenRate;
  readonly #maxInFlight: number;
  readonly #inFlight = new Map<string, number>();

  constructor(maxSessions: number, maxInFlight: number) {
    const perTenSeconds = Math.max(minPerTenSeconds, 2 * maxSessions);
    this.#rate = new EvenRate(perTenSeconds, 10_000 / perTenSeconds);
    this.#maxInFlight = maxInFlight;
  }

  /** Seconds until the network may send its next upgrade; 0 if this one is admitted, which is then charged. */
  admit(network: string): number {
    if ((this.#inFlight.get(network) ?? 0) >= this.#maxInFlight) return 1;
    return Math.ceil(this.#rate.charge(network, 0) / 1000);
  }

  begin(network: string): void {
    this.#inFlight.set(network, (this.#inFlight.get(network) ?? 0) + 1);
  }

  end(network: string): void {
    const left = (this.#inFlight.get(network) ?? 1) - 1;
    if (left > 0) this.#inFlight.set(network, left);
    else this.#inFlight.delete(network);
  }
}
