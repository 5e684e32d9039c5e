import { LRUCache } from 'lru-cache';

/** Upgrades that one client network may send in ten seconds, if it asks for no more than a runtime of the default size takes. */
const perTenSeconds = 120;
/** Networks whose rate is remembered. */
const mostNetworks = 10_000;

/** The smallest rate: a class that shares one address, and reconnects, passes. */
export const upgradesPerTenSeconds = (maxSessions: number) => Math.max(perTenSeconds, 2 * maxSessions);

/**
 * Upgrades per client network: how many may arrive in ten seconds (all at once or spread evenly), and how many may be on their way to the
 * runtime at a time. Without these limits, one address could use up the sockets that may wait for a runtime.
 */
export class NetworkLimits {
  readonly #burst: number;
  readonly #everyMs: number;
  readonly #mostInFlight: number;
  /** When the latest upgrade of each network was due, at the even rate. */
  readonly #due = new LRUCache<string, number>({ max: mostNetworks });
  readonly #inFlight = new Map<string, number>();

  constructor(perTenSeconds: number, mostInFlight: number) {
    this.#burst = perTenSeconds;
    this.#everyMs = 10_000 / perTenSeconds;
    this.#mostInFlight = mostInFlight;
  }

  /** Seconds until the network may send its next upgrade; 0 if this one is admitted, which is then charged. */
  admit(network: string): number {
    if ((this.#inFlight.get(network) ?? 0) >= this.#mostInFlight) return 1;
    const now = performance.now();
    const earliest = now - (this.#burst - 1) * this.#everyMs;
    const due = Math.max(this.#due.get(network) ?? Number.NEGATIVE_INFINITY, earliest);
    if (due > now) return Math.ceil((due - now) / 1000);
    this.#due.set(network, due + this.#everyMs);
    return 0;
  }

  begun(network: string): void {
    this.#inFlight.set(network, (this.#inFlight.get(network) ?? 0) + 1);
  }

  over(network: string): void {
    const left = (this.#inFlight.get(network) ?? 1) - 1;
    if (left > 0) this.#inFlight.set(network, left);
    else this.#inFlight.delete(network);
  }
}
