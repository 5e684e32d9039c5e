import type { IncomingMessage } from 'node:http';

/** The slot of one request, which is released while its body is still being received. */
interface Slot {
  request: IncomingMessage;
  isHeld: boolean;
  isOver: boolean;
}

/**
 * Limits the number of requests that are processed concurrently. One call acquires a slot, runs the work and releases the slot, however
 * the work ends, so that no slot leaks when a client disconnects.
 */
export class RequestSlots {
  readonly #max: number;
  #inFlight = 0;
  #refused = 0;
  /** Requests whose bodies did not arrive together with their headers. */
  #incomplete: Slot[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Number of requests rejected because no slot was free. */
  get refused(): number {
    return this.#refused;
  }

  /** Runs `work` in a slot, or `otherwise` if none is free. Both receive the arguments. */
  async hold<T, Args extends unknown[]>(
    request: IncomingMessage,
    work: (...args: Args) => T | Promise<T>,
    otherwise: (...args: Args) => T | Promise<T>,
    ...args: Args
  ): Promise<T> {
    // Many requests without their bodies may have arrived in this iteration of the event loop, before this one.
    if (this.#inFlight >= this.#max) this.#releaseIncomplete();
    if (this.#inFlight >= this.#max) {
      this.#refused++;
      return otherwise(...args);
    }
    const slot: Slot = { request, isHeld: true, isOver: false };
    this.#inFlight++;
    if (!request.complete) this.#checkBody(slot);
    try {
      return await work(...args);
    } finally {
      this.#setHeld(slot, false);
      slot.isOver = true;
    }
  }

  #setHeld(slot: Slot, isHeld: boolean): void {
    if (slot.isOver || slot.isHeld === isHeld) return;
    slot.isHeld = isHeld;
    this.#inFlight += isHeld ? 1 : -1;
  }

  /** Checks in the next tick whether the body has arrived. A client that sends its body slowly holds no slot. */
  #checkBody(slot: Slot): void {
    if (this.#incomplete.push(slot) === 1) setImmediate(() => this.#releaseIncomplete());
  }

  #releaseIncomplete(): void {
    for (const waiting of this.#incomplete.splice(0)) {
      if (waiting.isOver || waiting.request.complete) continue;
      this.#setHeld(waiting, false);
      waiting.request.once('end', () => this.#setHeld(waiting, true));
    }
  }
}
