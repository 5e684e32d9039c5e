import { EvenRate } from '../limits/even-rate.ts';

/** Lower bound for the limit of upgrades per client network in ten seconds: all users behind one address can reconnect at once. */
const minPerTenSeconds = 120;

/**
 * Limits the WebSocket upgrades of each client network: those that arrive in ten seconds, and those that wait for the runtime at a time.
 * Otherwise one address could fill the queue of sockets that wait for the runtime.
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

  /** Returns 0 and charges the upgrade to the network, or, if the network is over its limit, the seconds until it may send another one. */
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
