import type { IncomingMessage } from 'node:http';

/** The slot of one request, which is released while its body is still being received. */
interface Place {
  request: IncomingMessage;
  isKept: boolean;
  isOver: boolean;
}

/**
 * Limits the number of requests that are processed concurrently. One call acquires a slot, runs the work and releases the slot, however
 * the work ends, so that no slot leaks when a client disconnects.
 */
export class Places {
  readonly #most: number;
  #underWay = 0;
  #refused = 0;
  /** Requests whose bodies did not arrive together with their headers. */
  #incomplete: Place[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get underWay(): number {
    return this.#underWay;
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
    if (this.#underWay >= this.#most) {
      this.#refused++;
      return otherwise(...args);
    }
    const place: Place = { request, isKept: true, isOver: false };
    this.#underWay++;
    if (!request.complete) this.#lookBack(place);
    try {
      return await work(...args);
    } finally {
      this.#keep(place, false);
      place.isOver = true;
    }
  }

  #keep(place: Place, isKept: boolean): void {
    if (place.isOver || place.isKept === isKept) return;
    place.isKept = isKept;
    this.#underWay += isKept ? 1 : -1;
  }

  /** Checks in the next tick whether the body has arrived. A client that sends its body slowly holds no slot. */
  #lookBack(place: Place): void {
    if (this.#incomplete.push(place) > 1) return;
    setImmediate(() => {
      for (const waiting of this.#incomplete.splice(0)) {
        if (waiting.isOver || waiting.request.complete) continue;
        this.#keep(waiting, false);
        waiting.request.once('end', () => this.#keep(waiting, true));
      }
    });
  }
}
